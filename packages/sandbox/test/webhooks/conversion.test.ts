import { describe, expect, it } from 'vitest';
import { asking, openWatch, widgetDefinition } from '../support/sandbox.ts';
import { configuration, webhookRig } from '../support/webhook-rig.ts';
import { converting, type WebhookServer } from '../support/webhook-server.ts';
import type { JsonObject } from '../../src/json.ts';
import { textOf } from '../conformance/client.ts';
import { objectAt, objectsAt, textAt } from '../../src/json-fields.ts';
import { isJsonObject } from '../../src/json.ts';
import type { Sandbox } from '../../src/sandbox.ts';

const text = { type: 'string' };

/** Defines widgets that are stored in v1, in which `one` is what v2 calls `two`. */
async function defined(sandbox: Sandbox, server: WebhookServer): Promise<void> {
  const version = (name: string, field: string): JsonObject => {
    const spec = { type: 'object', properties: { [field]: text } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    return { name, served: true, storage: name === 'v1', schema, selectableFields: [{ jsonPath: `.spec.${field}` }] };
  };
  const webhook = { clientConfig: server.client('/convert'), conversionReviewVersions: ['v1'] };
  const conversion = { strategy: 'Webhook', webhook };
  await sandbox.apply(widgetDefinition({ versions: [version('v1', 'one'), version('v2', 'two')], conversion }));
  server.on(
    '/convert',
    converting((object) => {
      const { one, two } = object['spec'] as unknown as { one?: string; two?: string };
      const inV1 = textOf(object['apiVersion']).endsWith('/v1');
      return { ...object, spec: inV1 ? { one: one ?? two } : { two: two ?? one } };
    }),
  );
}

function widget(version: string, name: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: `example.com/${version}`,
    kind: 'Widget',
    metadata: { name, namespace: 'default' },
    spec,
  };
}

const V2 = '/apis/example.com/v2/namespaces/default/widgets';

function objectsIn(server: WebhookServer): readonly number[] {
  return server.seen.map(({ review }) => {
    const objects: unknown = review['request']?.['objects'];
    return Array.isArray(objects) ? objects.length : 0;
  });
}

describe('a list in another version', () => {
  it('has each object converted by a review of its own, and by none as long as they stay the same', async () => {
    const { sandbox, server } = await webhookRig();
    await defined(sandbox, server);
    for (const name of ['a', 'b', 'c']) await sandbox.apply(widget('v1', name, { one: name }));

    await sandbox.call('GET', V2);
    await sandbox.call('GET', V2);
    const first = objectsIn(server);
    await sandbox.apply(widget('v1', 'b', { one: 'changed' }));
    const { body } = await sandbox.call('GET', V2);

    expect(first).toEqual([1, 1, 1]);
    expect(objectsIn(server)).toEqual([1, 1, 1, 1]);
    expect(objectsAt(isJsonObject(body) ? body : {}, 'items').map((item) => textAt(item, 'spec', 'two'))).toEqual([
      'a',
      'changed',
      'c',
    ]);
  });

  it('fails with the first object that cannot be converted, and asks about none after it', async () => {
    const { sandbox, server } = await webhookRig();
    await defined(sandbox, server);
    for (const name of ['a', 'b', 'c']) await sandbox.apply(widget('v1', name, { one: name }));
    server.on('/convert', (review, response) => {
      const [object] = objectsAt(isJsonObject(review) ? review : {}, 'request', 'objects');
      const result = { status: 'Failed', message: `not ${textAt(object, 'metadata', 'name')}` };
      const isBad = textAt(object, 'metadata', 'name') === 'b';
      return converting((one) => one, isBad ? { result } : {})(review, response);
    });

    const { code, body } = await sandbox.call('GET', V2);

    expect(code).toBe(500);
    expect(body).toMatchObject({ message: 'conversion webhook for example.com/v1, Kind=Widget failed: not b' });
    expect(objectsIn(server)).toEqual([1, 1]);
  });

  it('is selected by the fields of that version', async () => {
    const { sandbox, server } = await webhookRig();
    await defined(sandbox, server);
    for (const name of ['a', 'b']) await sandbox.apply(widget('v1', name, { one: name }));

    const { body } = await sandbox.call('GET', `${V2}?fieldSelector=spec.two%3Db`);

    expect(body).toMatchObject({ items: [{ metadata: { name: 'b' }, spec: { two: 'b' } }] });
  });
});

describe('a get in another version', () => {
  it('converts anew each time', async () => {
    const { sandbox, server } = await webhookRig();
    await defined(sandbox, server);
    await sandbox.apply(widget('v1', 'a', { one: 'x' }));

    await sandbox.call('GET', `${V2}/a`);
    await sandbox.call('GET', `${V2}/a`);

    expect(objectsIn(server)).toEqual([1, 1]);
  });
});

describe('a watch in another version', () => {
  it('keeps the order of events and bookmarks, however slow the converter is', async () => {
    const { sandbox, server } = await webhookRig();
    await defined(sandbox, server);
    for (const name of ['a', 'b']) await sandbox.apply(widget('v1', name, { one: '1' }));
    const watch = await openWatch(
      sandbox,
      `${V2}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
    );
    await sandbox.apply(widget('v1', 'a', { one: '2' }));
    await sandbox.apply(widget('v1', 'a', { one: '3' }));

    const events = [];
    while (events.length < 5) events.push(await watch.next());

    expect(events.map((event) => [event['type'], objectAt(event, 'object', 'spec')])).toEqual([
      ['ADDED', { two: '1' }],
      ['ADDED', { two: '1' }],
      ['BOOKMARK', {}],
      ['MODIFIED', { two: '2' }],
      ['MODIFIED', { two: '3' }],
    ]);
  });

  it('ends with the error of a converter that fails', async () => {
    const { sandbox, server } = await webhookRig();
    await defined(sandbox, server);
    const watch = await openWatch(sandbox, `${V2}?watch=true`);
    server.on(
      '/convert',
      converting((object) => object, { result: { status: 'Failed', message: 'boom' } }),
    );
    await sandbox.apply(widget('v1', 'a', { one: '1' }));

    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { code: 500, message: 'conversion webhook for example.com/v1, Kind=Widget failed: boom' },
    });
    expect(await watch.nextLine()).toBeUndefined();
  });
});

describe('a webhook for one version of a custom resource', () => {
  it('gets an object of another version converted, and its changes are converted back', async () => {
    const { sandbox, server } = await webhookRig();
    await defined(sandbox, server);
    const rules = [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE'] }];
    await sandbox.apply(configuration('MutatingWebhookConfiguration', server.client('/hook'), { rules }));
    server.on('/hook', (review) => ({
      apiVersion: review['apiVersion'],
      kind: review['kind'],
      response: {
        uid: review['request']?.['uid'],
        allowed: true,
        patchType: 'JSONPatch',
        patch: btoa('[{"op":"replace","path":"/spec/one","value":"by webhook"}]'),
      },
    }));

    const { status, body } = await asking(sandbox)('POST', V2, widget('v2', 'a', { two: 'x' }));

    expect([status, body['spec']]).toEqual([201, { two: 'by webhook' }]);
    expect(server.at('/hook')[0]?.review['request']).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'example.com/v1', spec: { one: 'x' } },
    });
  });
});

describe('a deletion in another version that a finalizer delays', () => {
  it('answers with the converted object', async () => {
    const { sandbox, server } = await webhookRig();
    await defined(sandbox, server);
    const object = widget('v1', 'a', { one: 'x' });
    const metadata = { ...objectAt(object, 'metadata'), finalizers: ['example.com/hold'] };
    await sandbox.apply({ ...object, metadata });

    const { body } = await sandbox.call('DELETE', `${V2}/a`);

    expect(body).toMatchObject({
      apiVersion: 'example.com/v2',
      metadata: { deletionTimestamp: expect.any(String) },
      spec: { two: 'x' },
    });
  });
});
