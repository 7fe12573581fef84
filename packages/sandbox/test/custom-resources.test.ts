import { describe, expect, it } from 'vitest';
import { definedKinds } from '../src/custom-resources.ts';
import type { JsonObject } from '../src/json.ts';
import { asking, openWatch, sandboxForTest, widgetDefinition } from './support/sandbox.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { color: 'red' } };

function version(name: string, rest: JsonObject): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return { name, served: true, storage: false, schema, ...rest };
}

describe('custom resources', () => {
  it('a definition is established when its creation is answered', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);

    await ask('POST', definitions, widgetDefinition());

    expect((await ask('GET', `${definitions}/widgets.example.com`)).body).toMatchObject({
      spec: { names: { singular: 'widget', listKind: 'WidgetList' }, conversion: { strategy: 'None' } },
      status: {
        conditions: [
          { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
          { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
        ],
        acceptedNames: { plural: 'widgets', kind: 'Widget' },
        storedVersions: ['v1'],
      },
    });
    expect((await ask('POST', widgets, widget)).status).toBe(201);
  });

  it('the objects are completed, pruned and listed with their kind', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply(widgetDefinition());

    await ask('POST', widgets, { ...widget, spec: { color: 'red', bogus: 1 }, bogus: 1 });

    expect((await ask('GET', widgets)).body).toMatchObject({
      apiVersion: 'example.com/v1',
      kind: 'WidgetList',
      metadata: { continue: '' },
      items: [{ apiVersion: 'example.com/v1', kind: 'Widget', spec: { color: 'red', replicas: 1 } }],
    });
    expect((await ask('GET', widgets)).text).not.toContain('bogus":');
  });

  it('an object shows itself in every served version', async () => {
    const sandbox = await sandboxForTest();
    const versions = [version('v1', { storage: true }), version('v1beta1', {}), version('v1alpha1', { served: false })];
    await sandbox.apply(widgetDefinition({ versions }));
    await sandbox.apply({ ...widget, apiVersion: 'example.com/v1beta1' });
    const ask = asking(sandbox);

    const get = (name: string) => ask('GET', `/apis/example.com/${name}/namespaces/default/widgets/w`);

    expect((await get('v1')).body).toMatchObject({ apiVersion: 'example.com/v1', spec: { color: 'red' } });
    expect((await get('v1beta1')).body).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { color: 'red' } });
    expect((await get('v1alpha1')).text).toBe('404 page not found\n');
  });

  it('a cluster-wide kind has no namespaces', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition({ scope: 'Cluster' }));
    const ask = asking(sandbox);

    expect((await ask('POST', '/apis/example.com/v1/widgets', widget)).status).toBe(201);
    expect((await ask('POST', widgets, widget)).text).toBe('404 page not found\n');
  });

  it('without a status subresource the status is like any field', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition({ versions: [version('v1', { storage: true })] }));

    const created = await sandbox.apply({ ...widget, status: { replicas: 3 } });

    expect(created).toMatchObject({ status: { replicas: 3 } });
    expect((await asking(sandbox)('GET', `${widgets}/w/status`)).body).toMatchObject({
      code: 404,
      message: 'widgets.example.com "w" not found',
    });
  });

  it('fields that the definition names can be selected by, others cannot', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition());
    await sandbox.apply(widget);
    const ask = asking(sandbox);

    expect((await ask('GET', `${widgets}?fieldSelector=spec.color%3Dred`)).body).toMatchObject({
      items: [{ kind: 'Widget' }],
    });
    expect((await ask('GET', `${widgets}?fieldSelector=spec.color%3Dblue`)).body).toMatchObject({ items: [] });
    expect((await ask('GET', `${widgets}?fieldSelector=spec.size%3D1`)).body).toMatchObject({
      code: 400,
      message: 'field label not supported: spec.size',
    });
  });

  it('a kind that another definition has is not accepted', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition());
    const names = { plural: 'gadgets', kind: 'Widget' };

    await sandbox.apply({ ...widgetDefinition({ names }), metadata: { name: 'gadgets.example.com' } });

    expect((await sandbox.call('GET', `${definitions}/gadgets.example.com`)).body).toMatchObject({
      status: {
        conditions: [{ type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' }, { status: 'False' }],
      },
    });
    expect((await sandbox.call('GET', '/apis/example.com/v1/gadgets')).code).toBe(404);
  });

  it('a changed definition is served at once, and ends the watches of the old one', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition());
    const watch = await openWatch(sandbox, '/apis/example.com/v1/widgets?watch=1');

    await sandbox.apply(widgetDefinition({ versions: [version('v1', { storage: true }), version('v2', {})] }));

    expect(await watch.nextLine()).toBeUndefined();
    expect((await sandbox.call('GET', '/apis/example.com/v2/widgets')).code).toBe(200);
  });

  it('a deleted definition takes its objects with it, when they can go', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply(widgetDefinition());
    await sandbox.apply({ ...widget, metadata: { name: 'w', finalizers: ['example.com/hold'] } });

    const deleted = await ask('DELETE', `${definitions}/widgets.example.com`);
    const late = await ask('POST', widgets, { ...widget, metadata: { name: 'late' } });
    const held = await ask('GET', `${definitions}/widgets.example.com`);

    expect(deleted.body).toMatchObject({ metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } });
    expect(late.status).toBe(405);
    expect(held.status).toBe(200);
  });

  it('once the last object is gone so is the definition, and all it served', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply(widgetDefinition());
    await sandbox.apply(widget);

    await ask('DELETE', `${definitions}/widgets.example.com`);

    expect((await ask('GET', `${definitions}/widgets.example.com`)).status).toBe(404);
    expect((await ask('GET', widgets)).text).toBe('404 page not found\n');
    await sandbox.apply(widgetDefinition());
    expect((await ask('GET', widgets)).body).toMatchObject({ items: [] });
  });

  it('only served versions become kinds', () => {
    const versions = [version('v1', { storage: true }), version('v2', { served: false })];

    expect(definedKinds(widgetDefinition({ versions })).map((kind) => kind.version)).toEqual(['v1']);
  });
});
