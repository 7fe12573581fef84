import { describe, expect, it } from 'vitest';
import type { Client } from './client.ts';
import type { Bench } from './target.ts';
import { eventsUntil, eventually, freshName, refusal, refusalOf, watchLimit } from './target.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Custom resources: definition, schema, versions, subresources. */
export function customResourceLaws(bench: () => Bench): void {
  let shared: Promise<string> | undefined;
  // All laws about objects share one definition: a real server takes seconds to serve a new one.
  const things = (client: Client): Promise<string> => (shared ??= defined(client));

  describe('a custom resource definition', () => {
    it('is established, names accepted, and its resource discovered', async () => {
      const { client } = bench();
      const group = await defined(client);

      const { body } = await client.get(`${DEFINITIONS}/things.${group}`);

      expect(body['status']?.['conditions']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' }),
          expect.objectContaining({ type: 'Established', status: 'True', reason: 'InitialNamesAccepted' }),
        ]),
      );
      expect(body['status']).toMatchObject({
        acceptedNames: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
        storedVersions: ['v1'],
      });
      const { body: discovered } = await eventually(
        () => client.get(`/apis/${group}/v1`),
        ({ status }) => status === 200,
      );
      expect(discovered['resources']).toContainEqual(
        expect.objectContaining({
          name: 'things',
          singularName: 'thing',
          namespaced: true,
          kind: 'Thing',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        }),
      );
    });

    it('must be named after its resource and group', async () => {
      const { client } = bench();
      const group = `${freshName('law')}.example.com`;

      const answer = await client.post(DEFINITIONS, { ...definition(group), metadata: { name: 'other' } });

      expect(answer.status).toBe(422);
      expect(answer.body['message']).toContain('metadata.name');
      expect(answer.body['message']).toContain(`must be spec.names.plural+"."+spec.group`);
    });

    it('must have a schema', async () => {
      const { client } = bench();
      const group = `${freshName('law')}.example.com`;
      const whole = definition(group);
      const spec = { ...whole.spec, versions: [{ name: 'v1', served: true, storage: true }] };

      const answer = await client.post(DEFINITIONS, { ...whole, spec });

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          `CustomResourceDefinition.apiextensions.k8s.io "things.${group}" is invalid: spec.versions[0].schema.openAPIV3Schema: Required value`,
        ),
      );
    });

    it('takes its objects along when it goes', async () => {
      const { client, namespace } = bench();
      const group = await defined(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;
      await client.post(path, thing(group, { size: 1 }));

      await client.delete(`${DEFINITIONS}/things.${group}`);

      await eventually(
        () => client.get(`${DEFINITIONS}/things.${group}`),
        ({ status }) => status === 404,
      );
      await eventually(
        () => client.get(path),
        ({ status }) => status === 404,
      );
    });
  });

  describe('a custom resource', () => {
    it('is invalid where an apply leaves an object of its own empty, and valid where it leaves it out', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;
      await client.post(path, thing(group, { size: 1 }));
      const applied = async (name: string, fields: object) =>
        client.patch(`${path}/a${name}?fieldManager=me&force=true`, 'apply', {
          apiVersion: `${group}/v1`,
          kind: 'Thing',
          metadata: { name: 'a' },
          ...fields,
        });
      await applied('/status', { status: { phase: 'A' } });

      const empty = await applied('/status', { status: {} });
      const absent = await applied('/status', {});

      expect([empty.status, empty.body['reason']]).toEqual([422, 'Invalid']);
      expect(empty.body['message']).toMatch(
        /^Thing\.\S+ "a" is invalid: status: Invalid value: "null": .*must be of type object/,
      );
      expect([absent.status, absent.body['status']]).toEqual([200, undefined]);
      await applied('', { spec: { size: 2, ports: [{ name: 'a' }], open: { b: 1 } } });
      const open = await applied('', { spec: { size: 2, open: {} } });
      expect([open.status, open.body['reason']]).toEqual([422, 'Invalid']);
      expect(open.body['message']).toContain('spec.open in body must be of type object: "null"');
      // An empty list is as good as none.
      const { status, body } = await applied('', { spec: { size: 2, ports: [] } });
      expect([status, body['spec']]).toEqual([200, { size: 2, mode: 'fast' }]);
    });

    it('is stored with the defaults of its schema, without what the schema does not know', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;

      const { status, body } = await client.post(path, {
        ...thing(group, { size: 1, unknown: true, open: { any: { deep: [1] } } }),
        junk: 1,
      });

      expect(status).toBe(201);
      expect(body['spec']).toEqual({ size: 1, mode: 'fast', open: { any: { deep: [1] } } });
      expect(body).not.toHaveProperty('junk');
      expect(body['metadata']?.['generation']).toBe(1);
    });

    it.each<readonly [Readonly<Record<string, unknown>>, string]>([
      [{}, 'spec.size: Required value'],
      [{ size: 'abc' }, 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'],
      [{ size: 0 }, 'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1'],
      [{ size: 1, mode: 'odd' }, 'spec.mode: Unsupported value: "odd": supported values: "fast", "slow"'],
      [{ size: 1, tags: ['a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"'],
    ])('with spec %j is refused', async (spec, message) => {
      const { client, namespace } = bench();
      const group = await things(client);

      const answer = await client.post(`/apis/${group}/v1/namespaces/${await namespace()}/things`, thing(group, spec));

      expect(refusalOf(answer)).toEqual(refusal(422, 'Invalid', `Thing.${group} "a" is invalid: ${message}`));
    });

    it('is served in every served version, and in no other', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const ns = await namespace();
      await client.post(`/apis/${group}/v1/namespaces/${ns}/things`, thing(group, { size: 1 }));

      const beta = await client.get(`/apis/${group}/v1beta1/namespaces/${ns}/things/a`);
      const retired = await client.get(`/apis/${group}/v1alpha1/namespaces/${ns}/things/a`);

      expect(beta.body).toMatchObject({ apiVersion: `${group}/v1beta1`, kind: 'Thing', spec: { size: 1 } });
      expect(retired.status).toBe(404);
    });

    it('is listed with its kind on every item', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;
      await client.post(path, thing(group, { size: 1 }));

      const { body } = await client.get(path);

      expect(body).toMatchObject({ apiVersion: `${group}/v1`, kind: 'ThingList' });
      expect(body['items']).toMatchObject([{ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' } }]);
    });

    it('refuses strategic merge patches', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;
      await client.post(path, thing(group, { size: 1 }));

      const answer = await client.patch(`${path}/a`, 'strategic', { spec: { size: 2 } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          415,
          'UnsupportedMediaType',
          expect.stringMatching(/^the body of the request was in an unknown format - accepted media types include: /),
        ),
      );
    });

    it('has a status that only its subresource writes', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;
      const created = await client.post(path, { ...thing(group, { size: 1 }), status: { phase: 'no' } });

      const updated = await client.patch(`${path}/a/status`, 'merge', { spec: { size: 9 }, status: { phase: 'yes' } });

      expect(created.body).not.toHaveProperty('status');
      expect(updated.body).toMatchObject({ spec: { size: 1 }, status: { phase: 'yes' }, metadata: { generation: 1 } });
    });

    it('has no owner of a status that was sent with the object', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;
      const sent = { ...thing(group, { size: 1 }), status: { phase: 'no' } };

      const created = await client.post(path, sent);
      const applied = await client.patch(`${path}/a?fieldManager=me`, 'apply', sent);

      for (const { body } of [created, applied]) {
        expect(JSON.stringify(body['metadata']?.['managedFields'])).toContain('f:spec');
        expect(JSON.stringify(body['metadata']?.['managedFields'])).not.toContain('f:status');
      }
    });

    it('has a scale as its definition says', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;
      await client.post(path, thing(group, { size: 1 }));

      const scaled = await client.patch(`${path}/a/scale`, 'merge', { spec: { replicas: 4 } });
      const { body } = await client.get(`${path}/a`);

      expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
      expect(body['spec']?.['replicas']).toBe(4);
    });

    it('cannot be replaced without a resourceVersion', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things`;
      await client.post(path, thing(group, { size: 1 }));

      const answer = await client.put(`${path}/a`, thing(group, { size: 2 }));

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          `things.${group} "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
        ),
      );
    });

    it('is merged by apply as its schema says', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things/a`;
      const ports = (name: string): unknown => thing(group, { size: 1, ports: [{ name, port: 1 }] });

      await client.patch(`${path}?fieldManager=me`, 'apply', ports('one'));
      const { body } = await client.patch(`${path}?fieldManager=you`, 'apply', ports('two'));
      const unknown = await client.patch(`${path}?fieldManager=me`, 'apply', thing(group, { nope: 1 }));

      expect(body['spec']?.['ports']).toEqual([
        { name: 'one', port: 1 },
        { name: 'two', port: 1 },
      ]);
      expect(refusalOf(unknown)).toEqual(
        refusal(
          500,
          undefined,
          `failed to create typed patch object (/a; ${group}/v1, Kind=Thing): .spec.nope: field not declared in schema`,
        ),
      );
    });

    it('with a field that the schema does not know is refused when validation is strict', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const path = `/apis/${group}/v1/namespaces/${await namespace()}/things?fieldValidation=Strict`;

      const answer = await client.post(path, thing(group, { size: 1, nope: 1 }));

      expect(refusalOf(answer)).toEqual(
        refusal(
          400,
          'BadRequest',
          'Thing in version "v1" cannot be handled as a Thing: strict decoding error: unknown field "spec.nope"',
        ),
      );
    });

    it('is watched in the version that one asks for', async () => {
      const { client, namespace } = bench();
      const group = await things(client);
      const ns = await namespace();
      await client.post(`/apis/${group}/v1/namespaces/${ns}/things`, thing(group, { size: 1 }));

      const [event] = await eventsUntil(
        client.watch(`/apis/${group}/v1beta1/namespaces/${ns}/things?watch=true`, watchLimit()),
        () => true,
      );

      expect(event).toMatchObject({ type: 'ADDED', object: { apiVersion: `${group}/v1beta1`, kind: 'Thing' } });
    });

    it('cannot be created outside a namespace when its kind has them', async () => {
      const { client } = bench();
      const group = await things(client);

      const answer = await client.post(`/apis/${group}/v1/things`, thing(group, { size: 1 }));

      expect(answer).toMatchObject({ status: 404, text: '404 page not found\n' });
    });
  });
}

/** Defines things in a group of their own, and waits until they are served. */
async function defined(client: Client): Promise<string> {
  const group = `${freshName('law')}.example.com`;
  const { status, text } = await client.post(DEFINITIONS, definition(group));
  if (status !== 201) throw new Error(`cannot define things: ${status} ${text}`);
  await eventually(
    () => client.get(`/apis/${group}/v1/things`),
    (answer) => answer.status === 200,
  );
  return group;
}

function thing(group: string, spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' }, spec };
}

const SCHEMA = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1 },
        replicas: { type: 'integer' },
        mode: { type: 'string', enum: ['fast', 'slow'], default: 'fast' },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, port: { type: 'integer' } },
          },
        },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
};

function definition(group: string): { readonly metadata: unknown; readonly spec: Readonly<Record<string, unknown>> } {
  const version = {
    schema: { openAPIV3Schema: SCHEMA },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
  };
  return {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things' },
      versions: [
        { name: 'v1', served: true, storage: true, ...version },
        { name: 'v1beta1', served: true, storage: false, ...version },
        { name: 'v1alpha1', served: false, storage: false, ...version },
      ],
    },
  };
}
