import { describe, expect, it } from 'vitest';
import { textOf } from './client.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, refusal, refusalOf } from './target.ts';

/** Creating, reading and replacing objects. */
export function objectLaws(bench: () => Bench): void {
  describe('create', () => {
    it('answers 201 with what the server adds', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();

      const { status, body } = await client.post(configMaps(ns), configMap('a', { data: { k: 'v' } }));

      expect(status).toBe(201);
      expect(body).toEqual({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'a',
          namespace: ns,
          uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
          resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
          creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          managedFields: [
            {
              manager: 'conformance',
              operation: 'Update',
              apiVersion: 'v1',
              time: expect.any(String),
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } },
            },
          ],
        },
        data: { k: 'v' },
      });
    });

    it('makes a name of generateName and five characters', async () => {
      const { client, namespace } = bench();

      const { body } = await client.post(configMaps(await namespace()), { metadata: { generateName: 'it-' } });

      expect(body['metadata']).toMatchObject({ name: expect.stringMatching(/^it-[a-z0-9]{5}$/), generateName: 'it-' });
    });

    it('takes kind and apiVersion from the path when they are absent', async () => {
      const { client, namespace } = bench();

      const { body } = await client.post(configMaps(await namespace()), { metadata: { name: 'a' } });

      expect(body).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    });

    it('refuses a name that is taken', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));

      const answer = await client.post(configMaps(ns), configMap('a'));

      expect(refusalOf(answer)).toEqual(refusal(409, 'AlreadyExists', 'configmaps "a" already exists'));
      expect(answer.body['details']).toEqual({ name: 'a', kind: 'configmaps' });
    });

    it('refuses an object without a name', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), { metadata: {} });

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        ),
      );
    });

    it('refuses a name that is no DNS name', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), configMap('A_b'));

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          `ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
        ),
      );
    });

    it('refuses an object of another namespace', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), { metadata: { name: 'a', namespace: 'other' } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          400,
          'BadRequest',
          'the namespace of the provided object does not match the namespace sent on the request',
        ),
      );
    });

    it('refuses an object in a namespace that does not exist', async () => {
      const { client } = bench();

      const answer = await client.post(configMaps('no-such-namespace'), configMap('a'));

      expect(refusalOf(answer)).toEqual(refusal(404, 'NotFound', 'namespaces "no-such-namespace" not found'));
    });

    it('refuses an object of another kind', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), { ...configMap('a'), kind: 'Secret' });

      expect(refusalOf(answer)).toEqual(
        refusal(
          400,
          'BadRequest',
          'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
        ),
      );
    });

    it('refuses what is not JSON', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), '{bad');

      expect(refusalOf(answer)).toEqual(refusal(400, 'BadRequest', expect.stringContaining('json')));
    });

    it('refuses a resourceVersion', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), {
        metadata: { name: 'a', resourceVersion: '5' },
      });

      expect(refusalOf(answer)).toEqual(
        refusal(500, undefined, 'resourceVersion should not be set on objects to be created'),
      );
    });

    it('stores stringData of a secret as data', async () => {
      const { client, namespace } = bench();
      const path = `/api/v1/namespaces/${await namespace()}/secrets`;

      const { body } = await client.post(path, { metadata: { name: 'a' }, stringData: { k: 'v' } });

      expect(body).toMatchObject({ data: { k: 'dg==' }, type: 'Opaque' });
      expect(body).not.toHaveProperty('stringData');
    });
  });

  describe('get', () => {
    it('answers what was stored', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const created = await client.post(configMaps(ns), configMap('a', { data: { k: 'v' } }));

      const { status, body } = await client.get(configMaps(ns, 'a'));

      expect(status).toBe(200);
      expect(body).toEqual(created.body);
    });

    it('names what is not there', async () => {
      const { client, namespace } = bench();

      const answer = await client.get(configMaps(await namespace(), 'nope'));

      expect(refusalOf(answer)).toEqual(refusal(404, 'NotFound', 'configmaps "nope" not found'));
      expect(answer.body['details']).toEqual({ name: 'nope', kind: 'configmaps' });
    });

    it('names the group of what is not there', async () => {
      const { client, namespace } = bench();

      const answer = await client.get(`/apis/apps/v1/namespaces/${await namespace()}/deployments/nope`);

      expect(refusalOf(answer)).toEqual(refusal(404, 'NotFound', 'deployments.apps "nope" not found'));
      expect(answer.body['details']).toEqual({ name: 'nope', group: 'apps', kind: 'deployments' });
    });

    it('answers 404 to a resource that nobody serves', async () => {
      const { client } = bench();

      expect(refusalOf(await client.get('/api/v1/nosuchthings'))).toEqual(
        refusal(404, 'NotFound', 'the server could not find the requested resource'),
      );
      expect(await client.get('/apis/no.such.group/v1/things')).toMatchObject({
        status: 404,
        text: '404 page not found\n',
      });
    });
  });

  describe('replace', () => {
    it('gives the object a new resourceVersion and keeps its uid', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a', { data: { k: 'v' } }));

      const { status, body } = await client.put(configMaps(ns, 'a'), { ...created, data: { k: 'w' } });

      expect(status).toBe(200);
      expect(body['data']).toEqual({ k: 'w' });
      expect(body['metadata']?.['uid']).toBe(created['metadata']?.['uid']);
      expect(body['metadata']?.['creationTimestamp']).toBe(created['metadata']?.['creationTimestamp']);
      expect(Number(body['metadata']?.['resourceVersion'])).toBeGreaterThan(
        Number(created['metadata']?.['resourceVersion']),
      );
    });

    it('that changes nothing keeps the resourceVersion', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a', { data: { k: 'v' } }));

      const { body } = await client.put(configMaps(ns, 'a'), created);

      expect(body).toEqual(created);
    });

    it('without a resourceVersion replaces whatever is there', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a', { data: { k: 'v' } }));

      const { status, body } = await client.put(configMaps(ns, 'a'), configMap('a', { data: { only: '1' } }));

      expect(status).toBe(200);
      expect(body['data']).toEqual({ only: '1' });
    });

    it('of another version than the present one is a conflict', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a'));
      await client.put(configMaps(ns, 'a'), { ...created, data: { k: 'w' } });

      const answer = await client.put(configMaps(ns, 'a'), { ...created, data: { k: 'x' } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          409,
          'Conflict',
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
        ),
      );
      expect(answer.body['details']).toEqual({ name: 'a', kind: 'configmaps' });
    });

    it('of another uid is a conflict', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a'));

      const answer = await client.put(configMaps(ns, 'a'), { metadata: { name: 'a', uid: 'other' } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          409,
          'Conflict',
          `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/${ns}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${textOf(created['metadata']?.['uid'])}`,
        ),
      );
    });

    it('under another name is refused', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));

      const answer = await client.put(configMaps(ns, 'a'), configMap('b'));

      expect(refusalOf(answer)).toEqual(
        refusal(400, 'BadRequest', 'the name of the object (b) does not match the name on the URL (a)'),
      );
    });

    it('of what is not there is refused', async () => {
      const { client, namespace } = bench();

      const answer = await client.put(configMaps(await namespace(), 'a'), configMap('a'));

      expect(refusalOf(answer)).toEqual(refusal(404, 'NotFound', 'configmaps "a" not found'));
    });
  });

  describe('generation', () => {
    it('counts the changes of a spec, and of nothing else', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template };

      const { body: created } = await client.post(path, { metadata: { name: 'a' }, spec });
      const labelled = await client.patch(`${path}/a`, 'merge', { metadata: { labels: { x: 'y' } } });
      const changed = await client.patch(`${path}/a`, 'merge', { spec: { paused: true } });

      expect(created['metadata']?.['generation']).toBe(1);
      expect(labelled.body['metadata']?.['generation']).toBe(1);
      expect(changed.body['metadata']?.['generation']).toBe(2);
    });
  });
}
