import { expect, it } from 'vitest';
import { parseOperations } from '../../src/effects/parse-operations.ts';
import { differingFields, fieldsOf } from '../../src/effects/written-fields.ts';

function written(operation: object): ReturnType<typeof fieldsOf> {
  const [first] = parseOperations(JSON.stringify(operation), () => undefined).operations;
  if (first === undefined) throw new Error('no operation');
  return fieldsOf(first);
}

const target = { kind: 'ConfigMap', namespace: 'default', name: 'a' };
const object = (data: object) => ({
  operation: 'CreateOrUpdate',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data },
});

it.each([
  ['two objects', object({ a: '1', b: '2' }), object({ a: '1', b: '3' }), ['data.b']],
  [
    'two merge patches',
    { operation: 'MergePatch', ...target, mergePatch: { data: { a: null, b: [] } } },
    { operation: 'MergePatch', ...target, mergePatch: { data: { a: '1', b: [] } } },
    ['data.a'],
  ],
  [
    'two JSON patches',
    { operation: 'JSONPatch', ...target, jsonPatch: [{ op: 'add', path: '/data/x~1y', value: '1' }] },
    { operation: 'JSONPatch', ...target, jsonPatch: [{ op: 'add', path: '/data/x~1y', value: '2' }] },
    ['data.x/y'],
  ],
])('%s differ in fields that have a path', (_, before, after, fields) => {
  expect(differingFields(written(before), written(after))).toEqual(fields);
});

it('tells 10 fields at most, of an object however large', () => {
  const data = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 'v']));

  expect(written(object(data)).size).toBe(500);
  expect(differingFields(undefined, written(object(data)))).toHaveLength(10);
});
