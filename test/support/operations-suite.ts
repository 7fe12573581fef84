import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { applyOperations } from '../../src/effects/apply-operations.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';
import { openFilters } from '../../src/filter/filters.ts';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { recordingLogger } from './recording-logger.ts';

const GARBAGE_COLLECTION_MS = 100_000;
const DEFINITION_MS = 50_000;

/** The required results of every patch operation on every API server; each test has its own namespace. */
export function operationsSuite(findCluster: () => Promise<Cluster>): void {
  describe('the operations on an API server', () => {
    let rig: OperationsRig;

    beforeEach(async () => {
      rig = await startOperationsRig(await findCluster());
    });

    it('Create makes an object, and fails when it is there', async () => {
      expect(await rig.changes({ operation: 'Create', object: rig.configMap({ a: '1' }) })).toEqual(['created']);
      expect(await rig.changes({ operation: 'Create', object: rig.configMap({ a: '2' }) })).toMatch(
        /operation 1, Create v1\/ConfigMap\/[^/]+\/cm: .*already exists/,
      );
      expect(await rig.read(`${rig.maps}/cm`)).toMatchObject({ data: { a: '1' } });
    });

    it('Create lets the server make the name', async () => {
      const object = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: rig.namespace, generateName: 'cm-' },
      };

      expect(await rig.changes({ operation: 'Create', object })).toEqual(['created']);
      expect(await rig.read(rig.maps)).toMatchObject({
        items: expect.arrayContaining([
          expect.objectContaining({ metadata: expect.objectContaining({ name: expect.stringMatching(/^cm-.{5}$/) }) }),
        ]),
      });
    });

    it('CreateIfNotExists leaves what is there', async () => {
      const create = (a: string) => ({ operation: 'CreateIfNotExists', object: rig.configMap({ a }) });

      expect(await rig.changes(create('1'), create('2'))).toEqual(['created', 'unchanged']);
      expect(await rig.read(`${rig.maps}/cm`)).toMatchObject({ data: { a: '1' } });
    });

    it.each([
      {
        title: 'a built-in kind',
        object: (data: object) => rig.configMap(data),
        path: () => `${rig.maps}/cm`,
        field: 'data',
      },
      {
        title: 'a custom resource',
        object: (spec: object) => rig.widget(spec),
        path: () => `${rig.widgets}/w`,
        field: 'spec',
      },
    ])('CreateOrUpdate makes the object what the hook says: $title', async ({ object, path, field }) => {
      const put = (content: object) => ({ operation: 'CreateOrUpdate', object: object(content) });
      expect(await rig.changes(put({ a: '1', b: '1' }))).toEqual(['created']);
      const snapshot = await rig.read(path());

      expect(await rig.changes(put({ a: '2' }), put({ a: '2' }))).toEqual(['updated', 'unchanged']);
      expect(await rig.read(path())).toMatchObject({ [field]: { a: '2' } });
      expect(JSON.stringify(await rig.read(path()))).not.toContain('"b":"1"');

      // An object from a snapshot can be sent back, however old it is.
      expect(await rig.changes({ operation: 'CreateOrUpdate', object: snapshot })).toEqual(['updated']);
      expect(await rig.read(path())).toMatchObject({ [field]: { a: '1', b: '1' } });
    });

    it('CreateOrUpdate writes a subresource alone', async () => {
      await rig.changes({ operation: 'CreateOrUpdate', object: rig.widget({ a: '1' }) });
      const object = { ...rig.widget({ a: '2' }), status: { phase: 'Ready' } };

      expect(await rig.changes({ operation: 'CreateOrUpdate', object, subresource: 'status' })).toEqual(['updated']);
      expect(await rig.read(`${rig.widgets}/w`)).toMatchObject({ spec: { a: '1' }, status: { phase: 'Ready' } });
    });

    it.each(['Delete', 'DeleteInBackground', 'DeleteNonCascading'])(
      '%s removes an object, and a missing one',
      async (operation) => {
        const remove = { operation, kind: 'cm', namespace: rig.namespace, name: 'cm' };
        await rig.changes({ operation: 'Create', object: rig.configMap({}) });

        expect(await rig.changes(remove)).toEqual(['deleted']);
        // Orphaning is left to the garbage collector, which is not waited for.
        await vi.waitFor(async () => expect(rig.read(`${rig.maps}/cm`)).rejects.toMatchObject({ status: 404 }), {
          timeout: GARBAGE_COLLECTION_MS,
        });
        expect(await rig.changes(remove)).toEqual(['absent']);
      },
    );

    it('Delete returns when the object and what it owns are gone', async () => {
      await rig.changes({ operation: 'Create', object: rig.configMap({}) });
      const { metadata } = await rig.read(`${rig.maps}/cm`);
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'cm', uid: metadata['uid'], blockOwnerDeletion: true };
      const child = {
        ...rig.configMap({}),
        metadata: { namespace: rig.namespace, name: 'child', ownerReferences: [owner] },
      };
      await rig.changes({ operation: 'Create', object: child });

      expect(
        await rig.changes({ operation: 'Delete', kind: 'ConfigMap', namespace: rig.namespace, name: 'cm' }),
      ).toEqual(['deleted']);
      await expect(rig.read(`${rig.maps}/child`)).rejects.toMatchObject({ status: 404 });
    });

    it('DeleteNonCascading leaves what the object owned', async () => {
      await rig.changes({ operation: 'Create', object: rig.configMap({}) });
      const { metadata } = await rig.read(`${rig.maps}/cm`);
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'cm', uid: metadata['uid'] };
      const child = {
        ...rig.configMap({}),
        metadata: { namespace: rig.namespace, name: 'child', ownerReferences: [owner] },
      };
      await rig.changes({ operation: 'Create', object: child });

      await rig.changes({ operation: 'DeleteNonCascading', kind: 'ConfigMap', namespace: rig.namespace, name: 'cm' });

      // The garbage collector has finished when the child has no owner.
      await vi.waitFor(
        async () => expect((await rig.read(`${rig.maps}/child`)).metadata).not.toHaveProperty('ownerReferences'),
        { timeout: GARBAGE_COLLECTION_MS },
      );
    });

    it('MergePatch merges, removes with null, and keeps the rest', async () => {
      await rig.changes({ operation: 'Create', object: rig.configMap({ a: '1', b: '1' }) });
      const patch = { operation: 'MergePatch', ...rig.cm, mergePatch: { data: { a: null, c: '1' } } };

      expect(await rig.changes(patch, patch)).toEqual(['patched', 'unchanged']);
      expect(await rig.read(`${rig.maps}/cm`)).toMatchObject({ data: { b: '1', c: '1' } });
    });

    it('MergePatch writes a status', async () => {
      await rig.changes({ operation: 'Create', object: rig.widget({ a: '1' }) });
      const target = { kind: 'Widget', namespace: rig.namespace, name: 'w', subresource: '/status' };

      expect(
        await rig.changes({ operation: 'MergePatch', ...target, mergePatch: { status: { phase: 'Ready' } } }),
      ).toEqual(['patched']);
      expect(await rig.read(`${rig.widgets}/w`)).toMatchObject({ status: { phase: 'Ready' } });
    });

    it('JSONPatch does its steps, a removal first', async () => {
      await rig.changes({ operation: 'Create', object: rig.configMap({ a: '1' }) });
      const jsonPatch = [
        { op: 'remove', path: '/data/a' },
        { op: 'add', path: '/data/b', value: '2' },
      ];

      expect(await rig.changes({ operation: 'JSONPatch', ...rig.cm, jsonPatch })).toEqual(['patched']);
      expect(await rig.read(`${rig.maps}/cm`)).toMatchObject({ data: { b: '2' } });
    });

    it('JSONPatch finds a text again by test, whatever is in it', async () => {
      const text = '<a href="x">&\u2028\u2029\b\f\u0001\u007f\\"ä😀</a>';
      await rig.changes({ operation: 'Create', object: rig.configMap({ a: text }) });
      const jsonPatch = [
        { op: 'test', path: '/data/a', value: text },
        { op: 'test', path: '/data', value: { a: text } },
        { op: 'add', path: '/data/b', value: text },
      ];

      expect(await rig.changes({ operation: 'JSONPatch', ...rig.cm, jsonPatch })).toEqual(['patched']);
      expect(await rig.read(`${rig.maps}/cm`)).toMatchObject({ data: { a: text, b: text } });
    });

    it('JQPatch writes what the expression makes of the object, and nothing when that is the same', async () => {
      await rig.changes({ operation: 'Create', object: rig.configMap({ a: '1' }) });
      const patch = { operation: 'JQPatch', ...rig.cm, jqFilter: '.data.a = "2"' };

      expect(await rig.changes(patch, patch)).toEqual(['patched', 'unchanged']);
      expect(await rig.read(`${rig.maps}/cm`)).toMatchObject({ data: { a: '2' } });
    });

    it('JQPatch fails with the words of jq, and changes nothing', async () => {
      await rig.changes({ operation: 'Create', object: rig.configMap({ a: '1' }) });
      const patch = (jqFilter: string) => ({ operation: 'JQPatch', ...rig.cm, jqFilter });

      expect(await rig.changes(patch('.data + 1'))).toContain('jqFilter failed on the object: object');
      expect(await rig.changes(patch('.data.a, .data'))).toContain(
        'jqFilter returned 2 outputs, expected the whole changed object',
      );
      expect(await rig.read(`${rig.maps}/cm`)).toMatchObject({ data: { a: '1' } });
    });

    it.each(['MergePatch', 'JSONPatch', 'JQPatch'])(
      '%s of a missing object fails, unless it may be missing',
      async (operation) => {
        const patch = {
          operation,
          ...rig.cm,
          mergePatch: { data: {} },
          jsonPatch: [{ op: 'remove', path: '/data' }],
          jqFilter: '.data.a = "2"',
        };

        expect(await rig.changes(patch)).toMatch(new RegExp(`${operation} v1/ConfigMap/[^/]+/cm: .*"cm" not found`));
        expect(await rig.changes({ ...patch, ignoreMissingObject: true })).toEqual(['absent']);
      },
    );

    it('Apply owns its fields, respects those of others, and takes them with force', async () => {
      const apply = (data: object, fields: object = {}) => ({
        operation: 'Apply',
        object: rig.configMap(data),
        ...fields,
      });

      expect(await rig.changes(apply({ a: '1' }), apply({ a: '1' }))).toEqual(['applied', 'unchanged']);
      expect(await rig.changes(apply({ a: '2' }, { fieldManager: 'other' }))).toMatch(/conflict with "hooklet"/);
      expect(await rig.changes(apply({ a: '2' }, { fieldManager: 'other', force: true }))).toEqual(['applied']);
      expect(await rig.read(`${rig.maps}/cm`)).toMatchObject({ data: { a: '2' } });
    });

    it('Apply empties what it owned: of a custom resource too, of which the server takes that in two writes alone', async () => {
      const apply = (spec: object) => ({ operation: 'Apply', object: rig.widget(spec) });

      expect(await rig.changes(apply({ a: '1' }), apply({}), apply({}))).toEqual(['applied', 'applied', 'unchanged']);

      expect(await rig.read(`${rig.widgets}/w`)).toMatchObject({ spec: {} });
    });
  });
}

export type OperationsRig = Awaited<ReturnType<typeof startOperationsRig>>;

/** A namespace to run operations in, as a hook writes them. */
export async function startOperationsRig(cluster: Cluster) {
  const client = createKubeClient(cluster, { userAgent: 'hooklet-test' });
  onTestFinished(() => client.close());
  const kinds = createKinds(client);
  const { signal } = new AbortController();
  const get = async (path: string) => client.request({ method: 'GET', path }, signal);
  const namespace = `operations-${crypto.randomUUID()}`;
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS).catch(() => undefined);
  const widgets = `/apis/example.com/v1/namespaces/${namespace}/widgets`;
  // A server serves a new kind before discovery lists it.
  await vi.waitFor(async () => get(widgets), { timeout: DEFINITION_MS, interval: 50 });
  await vi.waitFor(async () => kinds.resolve({ kind: 'Widget' }, signal), { timeout: DEFINITION_MS, interval: 50 });

  async function post(path: string, object: object): Promise<unknown> {
    return client.request({ method: 'POST', path, body: JSON.stringify(object) }, signal);
  }

  return {
    namespace,
    maps: `/api/v1/namespaces/${namespace}/configmaps`,
    widgets,
    cm: { kind: 'ConfigMap', namespace, name: 'cm' },
    configMap: (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'cm' }, data }),
    widget: (spec: object) => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { namespace, name: 'w' },
      spec,
    }),
    /** Returns what each operation of one run changed, or the text of the error. */
    async changes(...operations: readonly object[]) {
      const text = operations.map((operation) => JSON.stringify(operation)).join('\n');
      const parsed = parseOperations(text, () => undefined).operations;
      try {
        const applied = await applyOperations(parsed, {
          client,
          kinds,
          compileJq: (expression) => openFilters().compilePatch(expression),
          signal,
          log: recordingLogger(),
        });
        return applied.map(({ change }) => change);
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    async read(path: string): Promise<{ readonly metadata: Readonly<Record<string, unknown>> }> {
      return JSON.parse(JSON.stringify(await get(path)));
    },
  };
}

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { ...OPEN, properties: { spec: OPEN } } },
      },
    ],
  },
};
