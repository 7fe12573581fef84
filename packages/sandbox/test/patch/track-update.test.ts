import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { readManagers } from '../../src/patch/managed-fields.ts';
import type { PatchKind } from '../../src/patch/ownership.ts';
import { trackUpdate } from '../../src/patch/track-update.ts';

const CONFIG_MAP: PatchKind = { group: '', version: 'v1', kind: 'ConfigMap' };
const DEPLOYMENT: PatchKind = { group: 'apps', version: 'v1', kind: 'Deployment' };
const THING: PatchKind = { group: 'example.com', version: 'v1', kind: 'Thing', hasStatus: true };
const TIME = '2024-01-01T00:00:00Z';

function track(before: JsonObject | undefined, after: JsonObject, options: Partial<Options> = {}): JsonObject {
  const { by = 'me', kind = CONFIG_MAP, subresource = '', time = TIME } = options;
  return trackUpdate(before, after, { name: by, operation: 'Update', kind, subresource, time });
}

interface Options {
  readonly by: string;
  readonly kind: PatchKind;
  readonly subresource: string;
  readonly time: string;
}

function fieldsBy(object: JsonObject): Readonly<Record<string, unknown>> {
  const entries: readonly Entry[] = [Object(object['metadata']).managedFields ?? []].flat();
  return Object.fromEntries(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
}

interface Entry {
  readonly manager: string;
  readonly fieldsV1: unknown;
}

function object(fields: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', uid: 'u', ...metadata }, ...fields };
}

describe('whoever creates an object', () => {
  it('owns all of it but what the server writes', () => {
    const created = track(undefined, object({ data: { k: 'v' } }, { labels: { a: 'b' }, resourceVersion: '1' }));

    expect(fieldsBy(created)).toEqual({
      me: { 'f:data': { '.': {}, 'f:k': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
    });
  });

  it('does not own the structs that built-in kinds always have', () => {
    const spec = { replicas: 1, template: { spec: { containers: [{ name: 'a' }] } } };

    expect(fieldsBy(track(undefined, object({ spec }), { kind: DEPLOYMENT }))).toEqual({
      me: {
        'f:spec': {
          'f:replicas': {},
          'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } } } },
        },
      },
    });
  });

  it('owns the structs of a custom resource', () => {
    expect(fieldsBy(track(undefined, object({ spec: { a: 1 } }), { kind: THING }))).toEqual({
      me: { 'f:spec': { '.': {}, 'f:a': {} } },
    });
  });
});

describe('whoever updates an object', () => {
  const created = track(undefined, object({ data: { a: '1', b: '1' } }));

  it('owns what it changed, and the former owner no longer does', () => {
    const updated = track(created, { ...created, data: { a: '2', c: '1' } }, { by: 'you' });

    expect(fieldsBy(updated)).toEqual({
      me: { 'f:data': {} },
      you: { 'f:data': { 'f:a': {}, 'f:c': {} } },
    });
  });

  it('keeps one entry, with the time of its last change', () => {
    const updated = track(created, { ...created, data: { a: '2', b: '1' } }, { time: '2024-02-02T00:00:00Z' });

    expect([...(readManagers(updated)?.values() ?? [])]).toMatchObject([{ time: '2024-02-02T00:00:00Z' }]);
  });

  it('leaves the record alone when nothing changed', () => {
    expect(track(created, created, { by: 'you', time: '2024-02-02T00:00:00Z' })).toEqual(created);
  });

  it('keeps the record when it sends none', () => {
    const { managedFields: _unsent, ...metadata } = Object(created['metadata']);

    expect(track(created, { ...created, metadata })).toEqual(created);
  });

  it('can empty the record, and the object stays untracked', () => {
    const emptied = track(created, { ...created, metadata: { ...Object(created['metadata']), managedFields: [] } });
    const updated = track(emptied, { ...emptied, data: { z: '1' } });

    expect(fieldsBy(emptied)).toEqual({});
    expect(fieldsBy(updated)).toEqual({});
  });
});

describe('a subresource', () => {
  it('has an entry of its own, and gives only what can be written through it', () => {
    const created = track(undefined, object({ spec: { a: 1 } }), { kind: THING });
    const after = { ...created, spec: { a: 2 }, status: { phase: 'x' } };

    const updated = track(created, after, { by: 'controller', kind: THING, subresource: 'status' });

    expect(fieldsBy(updated)['controller']).toEqual({ 'f:status': { '.': {}, 'f:phase': {} } });
    expect([...(readManagers(updated)?.values() ?? [])].map(({ subresource }) => subresource)).toContain('status');
  });

  it('keeps status to itself', () => {
    const created = track(undefined, object({ spec: { a: 1 }, status: { phase: 'x' } }), { kind: THING });

    expect(fieldsBy(created)).toEqual({ me: { 'f:spec': { '.': {}, 'f:a': {} } } });
  });
});

describe('of many who update', () => {
  it('ten are told apart, the oldest become one', () => {
    let current = track(undefined, object({ data: {} }));
    for (let number = 0; number < 13; number++) {
      const time = `2024-01-01T00:00:${10 + number}Z`;
      const data = { ...Object(current['data']), [`k${number}`]: 'v' };
      current = track(current, { ...current, data }, { by: `m${number}`, time });
    }

    expect(Object.keys(fieldsBy(current))).toHaveLength(10);
    expect(fieldsBy(current)['ancient-changes']).toEqual({
      'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} },
    });
  });
});
