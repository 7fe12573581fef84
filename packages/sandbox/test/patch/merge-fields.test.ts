import { describe, expect, it } from 'vitest';
import { mergeFields } from '../../src/patch/merge-fields.ts';
import type { ObjectTopology } from '../../src/patch/topology.ts';
import { ATOMIC, MAP } from '../../src/patch/topology.ts';

const TOPOLOGY: ObjectTopology = {
  type: 'object',
  others: 'map',
  fields: {
    items: { type: 'list', relation: 'map', keys: ['name'], keyDefaults: {}, element: MAP },
    set: { type: 'list', relation: 'set', keys: [], keyDefaults: {}, element: ATOMIC },
    list: { type: 'list', relation: 'atomic', keys: [], keyDefaults: {}, element: MAP },
    whole: ATOMIC,
  },
};

describe('what is applied over what is there', () => {
  it('merges granular objects, and replaces what is whole', () => {
    const live = { a: { b: 1, c: 1 }, whole: { x: 1 }, list: [1, 2] };
    const applied = { a: { c: 2 }, whole: { y: 1 }, list: [3] };

    expect(mergeFields(live, applied, TOPOLOGY)).toEqual({ a: { b: 1, c: 2 }, whole: { y: 1 }, list: [3] });
  });

  it.each<readonly [readonly string[], readonly string[], readonly string[]]>([
    [['a', 'b'], ['c'], ['a', 'b', 'c']],
    [['a', 'b', 'c'], ['b'], ['a', 'b', 'c']],
    [
      ['a', 'b', 'c'],
      ['c', 'n', 'a'],
      ['b', 'c', 'n', 'a'],
    ],
    [
      ['a', 'b', 'c'],
      ['n', 'b'],
      ['a', 'n', 'b', 'c'],
    ],
    [[], ['a'], ['a']],
  ])('puts %j with %j applied in the order %j', (live, applied, expected) => {
    expect(mergeFields({ set: live }, { set: applied }, TOPOLOGY)).toEqual({ set: expected });
    expect(mergeFields({ items: named(live) }, { items: named(applied) }, TOPOLOGY)).toEqual({
      items: named(expected),
    });
  });
});

function named(names: readonly string[]): readonly { readonly name: string }[] {
  return names.map((name) => ({ name }));
}
