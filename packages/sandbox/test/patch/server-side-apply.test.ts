import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import type { PatchKind } from '../../src/patch/ownership.ts';
import { serverSideApply } from '../../src/patch/server-side-apply.ts';
import { trackUpdate } from '../../src/patch/track-update.ts';

const CONFIG_MAP: PatchKind = { group: '', version: 'v1', kind: 'ConfigMap' };
const DEPLOYMENT: PatchKind = { group: 'apps', version: 'v1', kind: 'Deployment' };
const NOW = '2024-01-01T00:00:00Z';
const LATER = '2024-01-01T00:00:01Z';

interface Step {
  readonly by: string;
  readonly fields: JsonObject;
  readonly force?: boolean;
  readonly kind?: PatchKind;
  readonly now?: string;
  readonly subresource?: string;
}

function apply(current: JsonObject | undefined, step: Step): JsonObject {
  const { by, fields, force = false, kind = CONFIG_MAP, now = NOW, subresource = '' } = step;
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const patch = { apiVersion, kind: kind.kind, metadata: { name: 'x' }, ...fields };
  return serverSideApply({ current, patch, fieldManager: by, force, kind, now, subresource });
}

function entriesOf(object: JsonObject): readonly unknown[] {
  const { metadata } = object;
  return [Object(metadata).managedFields].flat();
}

function created(fields: JsonObject, kind = CONFIG_MAP): JsonObject {
  const object = { apiVersion: 'v1', kind: kind.kind, metadata: { name: 'x', uid: 'u' }, ...fields };
  return trackUpdate(undefined, object, { name: 'kubectl', operation: 'Update', time: NOW, kind });
}

describe('an apply', () => {
  it('creates, and owns exactly what it applied', () => {
    const object = apply(undefined, { by: 'me', fields: { data: { k: 'v' } } });

    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', managedFields: entriesOf(object) },
      data: { k: 'v' },
    });
    expect(entriesOf(object)).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'v1',
        time: NOW,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:k': {} } },
      },
    ]);
  });

  it('removes what it no longer applies and nobody else owns', () => {
    const first = apply(undefined, { by: 'me', fields: { data: { a: '1', b: '2' } } });

    expect(apply(first, { by: 'me', fields: { data: { a: '1' } } })['data']).toEqual({ a: '1' });
    expect(apply(first, { by: 'me', fields: {} })['data']).toBeUndefined();
  });

  it('leaves what another owns too, and gives up its own share', () => {
    const first = apply(undefined, { by: 'me', fields: { data: { a: '1' } } });
    const shared = apply(first, { by: 'you', fields: { data: { a: '1', b: '2' } } });

    const left = apply(shared, { by: 'me', fields: {} });

    expect(left['data']).toEqual({ a: '1', b: '2' });
    expect(entriesOf(left)).toHaveLength(1);
  });

  it('changes nothing, not even the time, when it is repeated', () => {
    const first = apply(undefined, { by: 'me', fields: { data: { a: '1' } } });

    expect(apply(first, { by: 'me', fields: { data: { a: '1' } }, now: LATER })).toEqual(first);
  });

  it('shares a field that it applies with the value it has, without a time of its own', () => {
    const object = apply(created({ data: { k: 'v' } }), { by: 'me', fields: { data: { k: 'v' } } });

    expect(entriesOf(object)).toEqual([
      expect.not.objectContaining({ time: expect.anything() }),
      expect.objectContaining({ manager: 'kubectl', fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } } }),
    ]);
  });

  it('takes what it changes by force from its owner', () => {
    const object = apply(created({ data: { k: 'v' } }), { by: 'me', fields: { data: { k: 'w' } }, force: true });

    expect(object['data']).toEqual({ k: 'w' });
    expect(entriesOf(object)).toEqual([
      expect.objectContaining({ manager: 'me', fieldsV1: { 'f:data': { 'f:k': {} } } }),
      expect.objectContaining({ manager: 'kubectl', fieldsV1: { 'f:data': {} } }),
    ]);
  });

  it('finds an owner for what nobody was tracked to own', () => {
    const untracked = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', uid: 'u' }, data: { k: 'v' } };

    expect(() => apply(untracked, { by: 'me', fields: { data: { k: 'w' } } })).toThrow(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k',
    );
  });
});

describe('a conflict', () => {
  it('names the one field and its owner', () => {
    expect(() => apply(created({ data: { k: 'v' } }), { by: 'me', fields: { data: { k: 'w' } } })).toThrow(
      expect.objectContaining({
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.k',
        details: {
          causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl" using v1', field: '.data.k' }],
        },
      }),
    );
  });

  it('names all fields, owner by owner', () => {
    const applied = apply(created({ data: { k: 'v' } }), { by: 'you', fields: { data: { a: '1', b: '1' } } });
    const fields = { data: { k: 'w', b: '2', a: '2' } };

    expect(() => apply(applied, { by: 'me', fields })).toThrow(
      'Apply failed with 3 conflicts: conflicts with "kubectl" using v1:\n- .data.k\nconflicts with "you":\n- .data.a\n- .data.b',
    );
  });

  it('names list items by their keys, and the subresource of the owner', () => {
    const fields = { status: { conditions: [{ type: 'A', status: 'True' }] } };
    const options = { kind: DEPLOYMENT, subresource: 'status' };
    const object = apply(created({}, DEPLOYMENT), { by: 'you', fields, ...options });
    const other = { status: { conditions: [{ type: 'A', status: 'False' }] } };

    expect(() => apply(object, { by: 'me', fields: other, ...options })).toThrow(
      'Apply failed with 1 conflict: conflict with "you" with subresource "status": .status.conditions[type="A"].status',
    );
  });
});

describe('lists', () => {
  const template = (...containers: readonly JsonObject[]): JsonObject => ({
    spec: { template: { spec: { containers } } },
  });

  it('of type map merge by their keys, which belong to the field', () => {
    const ports = (...numbers: readonly number[]): JsonObject[] => numbers.map((containerPort) => ({ containerPort }));
    const first = apply(undefined, { by: 'me', fields: template({ name: 'a', ports: ports(80) }), kind: DEPLOYMENT });

    const second = apply(first, { by: 'you', fields: template({ name: 'a', ports: ports(81) }), kind: DEPLOYMENT });

    expect(second['spec']).toEqual(template({ name: 'a', ports: ports(80, 81) })['spec']);
    expect(JSON.stringify(entriesOf(second)[1])).toContain('k:{\\"containerPort\\":81,\\"protocol\\":\\"TCP\\"}');
  });

  it('of type set merge as sets', () => {
    const first = apply(undefined, { by: 'me', fields: { metadata: { name: 'x', finalizers: ['a'] } } });

    const second = apply(first, { by: 'you', fields: { metadata: { name: 'x', finalizers: ['b'] } } });

    expect(second['metadata']).toEqual(expect.objectContaining({ finalizers: ['a', 'b'] }));
  });

  it('that are atomic belong to one owner whole', () => {
    const args = (...values: readonly string[]): JsonObject => template({ name: 'a', args: values });
    const first = apply(undefined, { by: 'me', fields: args('1'), kind: DEPLOYMENT });

    expect(() => apply(first, { by: 'you', fields: args('1', '2'), kind: DEPLOYMENT })).toThrow(
      'conflict with "me": .spec.template.spec.containers[name="a"].args',
    );
  });

  it('keep the order applied among what is applied, and the rest around it', () => {
    const named = (...names: readonly string[]): JsonObject => template(...names.map((name) => ({ name })));
    const live = created(named('a', 'b', 'c'), DEPLOYMENT);

    const object = apply(live, { by: 'me', fields: named('c', 'n', 'a'), kind: DEPLOYMENT });

    expect(object['spec']).toEqual(named('b', 'c', 'n', 'a')['spec']);
  });
});

describe('an apply that cannot be carried out is refused', () => {
  const CUSTOM: PatchKind = {
    group: 'example.com',
    version: 'v1',
    kind: 'Thing',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer' },
            tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          },
        },
      },
    },
  };

  it.each<readonly [string, Step, number, string]>([
    ['another kind', { by: 'me', fields: { kind: 'Secret' } }, 400, 'invalid object type: /v1, Kind=Secret'],
    ['another version', { by: 'me', fields: { apiVersion: 'v2' } }, 400, 'invalid object type: /v2, Kind=ConfigMap'],
    [
      'managed fields',
      { by: 'me', fields: { metadata: { managedFields: [] } } },
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'no field manager',
      { by: '', fields: {} },
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      'a field that the schema does not have',
      { by: 'me', fields: { spec: { nope: 1 } }, kind: CUSTOM },
      500,
      'failed to create typed patch object (/x; example.com/v1, Kind=Thing): .spec.nope: field not declared in schema',
    ],
    [
      'a value of another type',
      { by: 'me', fields: { spec: { size: 'x' } }, kind: CUSTOM },
      500,
      'failed to create typed patch object (/x; example.com/v1, Kind=Thing): .spec.size: expected numeric (int or float), got string',
    ],
    [
      'an item twice',
      { by: 'me', fields: { spec: { tags: ['a', 'a'] } }, kind: CUSTOM },
      500,
      'failed to create typed patch object (/x; example.com/v1, Kind=Thing): .spec.tags: duplicate entries for key [="a"]',
    ],
  ])('%s', (_title, step, code, message) => {
    expect(() => apply(undefined, step)).toThrow(expect.objectContaining({ code, message }));
  });
});
