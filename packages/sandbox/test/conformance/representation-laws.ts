import { describe, expect, it } from 'vitest';
import type { Bench } from './target.ts';
import { configMap, configMaps, refusal, refusalOf } from './target.ts';

/** In which forms requests are read and answers written. */
export function representationLaws(bench: () => Bench): void {
  describe('YAML', () => {
    it('is read', async () => {
      const { client, namespace } = bench();
      const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n';

      const { status, body } = await client.post(configMaps(await namespace()), text, {
        contentType: 'application/yaml',
      });

      expect(status).toBe(201);
      expect(body['data']).toEqual({ k: 'v' });
    });

    it('is written', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a', { data: { k: 'v' } }));

      const { text } = await client.get(configMaps(ns, 'a'), { accept: 'application/yaml' });

      expect(text).toContain('kind: ConfigMap\n');
    });
  });

  describe('metadata alone', () => {
    it('is listed to who asks for it', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), { metadata: { name: 'a', labels: { law: 'x' } }, data: { k: 'v' } });

      const { body } = await client.get(`${configMaps(ns)}?labelSelector=law`, {
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      });

      expect(body).toMatchObject({
        apiVersion: 'meta.k8s.io/v1',
        kind: 'PartialObjectMetadataList',
        items: [{ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
      });
      expect(body['items']?.[0]).not.toHaveProperty('data');
    });
  });

  describe('a form that nobody speaks', () => {
    it('is refused', async () => {
      const { client } = bench();

      const answer = await client.get('/api/v1/nodes', { accept: 'text/plain' });

      expect(refusalOf(answer)).toEqual(
        refusal(
          406,
          'NotAcceptable',
          expect.stringMatching(
            /^406: Not Acceptable\n\nAvailable representations: application\/json, application\/yaml/,
          ),
        ),
      );
    });
  });

  describe('events', () => {
    it('are the same in both of their groups', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const involvedObject = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: ns };
      await client.post(`/api/v1/namespaces/${ns}/events`, {
        metadata: { name: 'a' },
        involvedObject,
        reason: 'Law',
        message: 'hello',
        type: 'Normal',
      });

      const { body } = await client.get(`/apis/events.k8s.io/v1/namespaces/${ns}/events/a`);

      expect(body).toMatchObject({ kind: 'Event', reason: 'Law', note: 'hello', regarding: { name: 'x' } });
    });
  });

  describe('a replace of a lease', () => {
    it('that does not exist creates it', async () => {
      const { client, namespace } = bench();
      const path = `/apis/coordination.k8s.io/v1/namespaces/${await namespace()}/leases/a`;

      const { status, body } = await client.put(path, { metadata: { name: 'a' }, spec: { holderIdentity: 'me' } });

      expect(status).toBe(201);
      expect(body['spec']).toEqual({ holderIdentity: 'me' });
    });
  });

  describe('a question about rights', () => {
    it('is answered', async () => {
      const { client } = bench();

      const { status, body } = await client.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
      });

      expect(status).toBe(201);
      expect(body['status']).toMatchObject({ allowed: true });
    });
  });

  describe('a namespace that does not exist', () => {
    it('has nothing in it', async () => {
      const { client } = bench();

      expect((await client.get(configMaps('no-such-namespace'))).body['items']).toEqual([]);
      expect(refusalOf(await client.get(configMaps('no-such-namespace', 'a')))).toEqual(
        refusal(404, 'NotFound', 'configmaps "a" not found'),
      );
    });
  });
}
