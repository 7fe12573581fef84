import { describe, expect, it } from 'vitest';
import { duplicateItems } from '../../src/schema/list-types.ts';

const SET = { type: 'array', 'x-kubernetes-list-type': 'set' };
const MAP = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };

describe('an item that is there twice', () => {
  it('is reported in sets and maps, wherever they are', () => {
    const schema = {
      properties: {
        tags: SET,
        nested: { type: 'array', items: { properties: { ports: MAP } } },
        plain: { type: 'array' },
      },
    };
    const object = {
      tags: ['a', 'b', 'a'],
      nested: [{ ports: [{ name: 'x' }, { name: 'x', port: 1 }] }],
      plain: ['a', 'a'],
    };

    expect(duplicateItems(object, schema)).toEqual([
      { field: 'tags[2]', reason: 'FieldValueDuplicate', message: 'Duplicate value: "a"' },
      { field: 'nested[0].ports[1]', reason: 'FieldValueDuplicate', message: 'Duplicate value: {"name":"x"}' },
    ]);
  });
});
