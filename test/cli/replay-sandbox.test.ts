import { describe, expect, it, onTestFinished } from 'vitest';
import fc from 'fast-check';
import { fillSandbox } from '../../src/cli/replay/replay-sandbox.ts';
import { seenObject, seenObjects } from '../../src/cli/replay/seen-objects.ts';

type Fields = Readonly<Record<string, unknown>>;

const objectOf = (apiVersion: string, kind: string, name: string, fields: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'shop' },
  ...fields,
});

async function filled(objects: readonly Fields[], given: readonly Fields[] = []) {
  const seen = seenObjects(objects.map((object) => ({ type: 'Event', watchEvent: 'Added', object })));
  const all = given.map(seenObject).filter((one) => one !== undefined);
  const { sandbox, notes } = await fillSandbox(seen, { given: all, written: [] });
  onTestFinished(async () => sandbox.close());
  const get = async (path: string) => (await sandbox.call('GET', path)).body as Fields;
  return { sandbox, notes, get };
}

describe('the sandbox of a replay', () => {
  it('has the objects as they were, with uid, version, status and owners that are not there', async () => {
    const metadata = {
      name: 'web',
      namespace: 'shop',
      uid: 'a-uid',
      resourceVersion: '987654321',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: 'gone' }],
    };
    const pod = objectOf('v1', 'Pod', 'web', { metadata, status: { phase: 'Running' } });
    const { get, notes } = await filled([pod]);

    expect(await get('/api/v1/namespaces/shop/pods/web')).toMatchObject(pod);
    expect(await get('/api/v1/namespaces/shop')).toMatchObject({ kind: 'Namespace' });
    expect(notes).toEqual([]);
  });

  it('serves kinds that nobody has defined, of several versions, with a status, and leaves given definitions alone', async () => {
    const one = objectOf('example.com/v1', 'Policy', 'one', { spec: { any: ['thing'] }, status: { is: 'done' } });
    const two = objectOf('example.com/v2', 'Policy', 'two');
    const { get } = await filled([one, two]);

    expect(await get('/apis/example.com/v1/namespaces/shop/policies/one')).toMatchObject(one);
    expect(await get('/apis/example.com/v2/namespaces/shop/policies/two')).toMatchObject(two);
    expect(await get('/apis/example.com/v1/namespaces/shop/policies/one/status')).toMatchObject({ kind: 'Policy' });
  });

  it('an object that was deleted, or is to be created, is not there; of several versions the last is', async () => {
    const at = (version: string, size: string) => ({
      ...objectOf('v1', 'ConfigMap', 'web'),
      metadata: { name: 'web', namespace: 'shop', resourceVersion: version },
      data: { size },
    });
    const old = objectOf('v1', 'ConfigMap', 'old');
    const seen = seenObjects([
      { type: 'Event', watchEvent: 'Modified', object: at('10', 'new') },
      { type: 'Synchronization', objects: [{ object: at('9', 'old') }] },
      { type: 'Event', watchEvent: 'Deleted', object: objectOf('v1', 'ConfigMap', 'gone') },
      { type: 'Validating', review: { request: { object: objectOf('v1', 'ConfigMap', 'next'), oldObject: old } } },
    ]);

    expect(seen.map(({ name, object }) => [name, object['data']])).toEqual([
      ['web', { size: 'new' }],
      ['old', undefined],
    ]);
  });

  it('registers no webhook and no converter of a recording', async () => {
    const url = 'https://127.0.0.1:1/steal';
    const webhooks = [
      {
        name: 'a.example.com',
        clientConfig: { url },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ];
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'steal' },
      webhooks,
    };
    const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        names,
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
        conversion: { strategy: 'Webhook', webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] } },
      },
    };
    const { get, notes, sandbox } = await filled([
      configuration,
      definition,
      objectOf('example.com/v1', 'Thing', 'one'),
    ]);

    expect(JSON.stringify(sandbox.state)).not.toContain(url);
    expect(notes).toEqual(['not in the sandbox: MutatingWebhookConfiguration steal, whose webhooks would be called']);
    expect(await get('/apis/example.com/v1/namespaces/shop/things/one')).toMatchObject({ kind: 'Thing' });
  });

  it('takes any object, however wrong, and still answers', async () => {
    const part = fc.oneof(
      fc.constantFrom('v1', 'example.com/v1', 'Pod', 'Thing', '../..', '/', '', 'a b'),
      fc.string(),
    );
    const any = fc.record({
      apiVersion: part,
      kind: part,
      metadata: fc.dictionary(
        fc.constantFrom(
          'name',
          'namespace',
          'uid',
          'labels',
          'annotations',
          'resourceVersion',
          'ownerReferences',
          'managedFields',
          'deletionTimestamp',
          'finalizers',
        ),
        fc.oneof(part, fc.jsonValue()),
      ),
      spec: fc.jsonValue(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(any, { maxLength: 5 }), async (objects) => {
        const { sandbox } = await fillSandbox(seenObjects(objects.map((object) => ({ object }))), {
          given: [],
          written: [],
        });
        await using closing = sandbox;
        expect((await closing.call('GET', '/api/v1/namespaces')).code).toBe(200);
      }),
      { numRuns: 60 },
    );
  });
});
