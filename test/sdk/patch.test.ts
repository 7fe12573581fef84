import { describe, expect, it } from 'vitest';
import { Patch } from '../../src/sdk/patch.ts';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data: { k: 'v' } };
const address = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' };

const rows: readonly [operation: string, ask: (patch: Patch) => void, document: object][] = [
  ['Create', (patch) => patch.create(object), { operation: 'Create', object }],
  ['CreateIfNotExists', (patch) => patch.createIfNotExists(object), { operation: 'CreateIfNotExists', object }],
  ['CreateOrUpdate', (patch) => patch.createOrUpdate(object), { operation: 'CreateOrUpdate', object }],
  [
    'Apply',
    (patch) => patch.apply(object, { fieldManager: 'me', force: true }),
    { operation: 'Apply', object, fieldManager: 'me', force: true },
  ],
  [
    'MergePatch',
    (patch) => patch.merge(object, { data: null }, { ignoreMissingObject: true }),
    { operation: 'MergePatch', ...address, mergePatch: { data: null }, ignoreMissingObject: true },
  ],
  [
    'JSONPatch',
    (patch) => patch.json(address, [{ op: 'remove', path: '/data' }], { subresource: 'status' }),
    { operation: 'JSONPatch', ...address, jsonPatch: [{ op: 'remove', path: '/data' }], subresource: 'status' },
  ],
  [
    'JQPatch',
    (patch) => patch.jq({ kind: 'Node', name: 'n' }, '.spec'),
    { operation: 'JQPatch', kind: 'Node', name: 'n', jqFilter: '.spec' },
  ],
  ['Delete', (patch) => patch.delete(object), { operation: 'Delete', ...address }],
  [
    'Delete of one very object',
    (patch) => patch.delete(address, { preconditions: { uid: 'u1' } }),
    { operation: 'Delete', ...address, preconditions: { uid: 'u1' } },
  ],
  ['DeleteInBackground', (patch) => patch.deleteInBackground(address), { operation: 'DeleteInBackground', ...address }],
  ['DeleteNonCascading', (patch) => patch.deleteNonCascading(address), { operation: 'DeleteNonCascading', ...address }],
];

describe('Patch', () => {
  it.each(rows)('writes %s as the patch file has it', (_operation, ask, document) => {
    const patch = new Patch();

    ask(patch);

    expect(JSON.parse(patch.toString())).toEqual(document);
  });

  it('keeps the order, a line an operation', () => {
    const patch = new Patch();

    patch.delete(address);
    patch.create(object);

    expect(
      patch
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, 22)),
    ).toEqual(['{"operation":"Delete",', '{"operation":"Create",']);
  });

  it('writes an object as it was when it was asked for', () => {
    const patch = new Patch();
    const changing = { ...object, data: { k: 'before' } };

    patch.create(changing);
    changing.data.k = 'after';

    expect(patch.toString()).toContain('before');
  });

  it.each([
    [{ kind: 'Pod', metadata: {} }, 'the Pod to be changed has no metadata.name'],
    [{ metadata: { name: 'a' } }, 'the object a to be changed has no kind'],
  ])('refuses %j', (target, message) => {
    expect(() => new Patch().delete(target)).toThrow(message);
  });
});
