import { describe, expect, it } from 'vitest';
import { printPath, sortedPaths } from '../../src/patch/field-set.ts';
import type { FieldSet } from '../../src/patch/field-set.ts';
import { compareFields, fieldsOf, removeFields, withNamedFields } from '../../src/patch/object-fields.ts';
import type { ObjectTopology } from '../../src/patch/topology.ts';
import { ATOMIC, MAP, STRUCT } from '../../src/patch/topology.ts';

const TOPOLOGY: ObjectTopology = {
  type: 'object',
  others: 'struct',
  fields: {
    map: MAP,
    struct: STRUCT,
    whole: ATOMIC,
    items: { type: 'list', relation: 'map', keys: ['name'], keyDefaults: {}, element: STRUCT },
  },
};

const OBJECT = { map: { a: { b: 1 } }, struct: { c: { d: 1 } }, whole: { x: 1 }, items: [{ name: 'n', v: 1 }] };

function printed(fields: FieldSet): readonly string[] {
  return sortedPaths(fields).map(printPath);
}

describe('the fields of an object', () => {
  it('are its leaves, its items, and the entries of its maps', () => {
    expect(printed(fieldsOf(OBJECT, TOPOLOGY))).toEqual([
      '.whole',
      '.items[name="n"]',
      '.items[name="n"].name',
      '.items[name="n"].v',
      '.map.a',
      '.map.a.b',
      '.struct.c.d',
    ]);
  });

  it('include the structs that hold them when asked, but not the maps’ own', () => {
    const named = withNamedFields(fieldsOf({ map: { a: { b: 1 } }, struct: { c: { d: 1 } } }, TOPOLOGY), TOPOLOGY);

    expect(printed(named)).toEqual(['.map', '.struct', '.map.a', '.map.a.b', '.struct.c', '.struct.c.d']);
  });
});

describe('a comparison', () => {
  it('tells what was added with all that leads there, what changed, and what is gone', () => {
    const after = { map: { a: { b: 2 } }, whole: { y: 1 }, items: [{ name: 'm' }] };
    const { added, modified, removed } = compareFields(OBJECT, after, TOPOLOGY);

    expect(printed(added)).toEqual(['.items[name="m"]', '.items[name="m"].name']);
    expect(printed(modified)).toEqual(['.whole', '.map.a.b']);
    expect(printed(removed)).toEqual([
      '.struct',
      '.items[name="n"]',
      '.items[name="n"].name',
      '.items[name="n"].v',
      '.struct.c',
      '.struct.c.d',
    ]);
  });

  it('finds nothing between equals', () => {
    const { added, modified, removed } = compareFields(OBJECT, structuredClone(OBJECT), TOPOLOGY);

    expect([...added, ...modified, ...removed]).toEqual([]);
  });
});

describe('removing fields', () => {
  const fields = fieldsOf({ struct: { c: { d: 1 } }, items: [{ name: 'n' }] }, TOPOLOGY);

  it('takes what becomes empty along', () => {
    expect(removeFields(OBJECT, fields, { topology: TOPOLOGY, emptied: 'absent' })).toEqual({
      map: { a: { b: 1 } },
      whole: { x: 1 },
    });
  });

  it('or leaves null of it', () => {
    expect(removeFields(OBJECT, fields, { topology: TOPOLOGY, emptied: 'null' })).toEqual({
      struct: { c: null },
      items: null,
      map: { a: { b: 1 } },
      whole: { x: 1 },
    });
  });
});
