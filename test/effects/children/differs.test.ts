import { describe, expect, it } from 'vitest';
import { differences } from '../../../src/effects/children/differs.ts';
import { Tolerance } from '../../../src/effects/children/tolerance.ts';

const LEAF = {};

function lost(object: object, fields: object): readonly string[] {
  const wanted = { object: { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, ...object }, hash: 'h' };
  return differences({ appliedHash: 'h', fields: { ...fields } }, wanted);
}

describe('a live child', () => {
  it.each([
    ['has every field', { spec: { a: 1, b: { c: 2 } } }, { 'f:spec': { 'f:a': LEAF, 'f:b': { 'f:c': LEAF } } }, []],
    ['lost a field', { spec: { a: 1, b: 2 } }, { 'f:spec': { 'f:a': LEAF } }, ['spec.b']],
    ['lost everything', { spec: { a: 1 }, data: { k: 'v' } }, {}, ['spec', 'data']],
    [
      'has a list or map that is replaced as one',
      { spec: { a: [{ b: 1 }], c: { d: 1 } } },
      { 'f:spec': { 'f:a': LEAF, 'f:c': LEAF } },
      [],
    ],
    ['is not asked for a field that is null', { spec: { a: null } }, { 'f:spec': LEAF }, []],
    ['is not asked for a status', { status: { a: 1 } }, {}, []],
    [
      'has each item of a list by its keys, with those that the server fills in',
      { ports: [{ port: 53, protocol: 'UDP' }, { port: 53 }] },
      {
        'f:ports': {
          'k:{"port":53,"protocol":"TCP"}': { 'f:port': LEAF },
          'k:{"port":53,"protocol":"UDP"}': { 'f:port': LEAF, 'f:protocol': LEAF },
        },
      },
      [],
    ],
    [
      'lost an item of a list',
      {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      { 'f:env': { '.': LEAF, 'k:{"name":"B"}': { 'f:name': LEAF, 'f:value': LEAF } } },
      ['env[0]'],
    ],
    [
      'lost a field of an item',
      { env: [{ name: 'A', value: '1' }] },
      { 'f:env': { 'k:{"name":"A"}': { '.': LEAF, 'f:name': LEAF } } },
      ['env[0].value'],
    ],
    ['has the values of a set', { set: ['x', 7] }, { 'f:set': { 'v:"x"': LEAF, 'v:7': LEAF } }, []],
    ['lost a value of a set', { set: ['x', 'y'] }, { 'f:set': { 'v:"x"': LEAF } }, ['set[1]']],
    ['has items that are not what they were', { list: ['x'] }, { 'f:list': { 'k:{"name":"a"}': LEAF } }, ['list[0]']],
    ['has keys that cannot be read', { list: [{ a: 1 }] }, { 'f:list': { 'k:nonsense': LEAF } }, ['list[0]']],
    [
      'lost a label and a finalizer',
      { metadata: { name: 'a', labels: { a: '1', b: '2' }, finalizers: ['x/y'] } },
      { 'f:metadata': { 'f:labels': { 'f:a': LEAF } } },
      ['metadata.labels.b', 'metadata.finalizers'],
    ],
  ])('%s', (_, object, fields, expected) => {
    expect(lost(object, fields)).toEqual(expected);
  });

  it('differs when something else was applied, or nothing', () => {
    const wanted = { object: {}, hash: 'h' };

    expect(differences({ appliedHash: 'g', fields: {} }, wanted)).toEqual(['metadata.annotations.hooklet.dev/applied']);
    expect(differences({ appliedHash: '' }, wanted)).toHaveLength(1);
  });

  it('names at most 20 paths', () => {
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'v']));

    expect(lost({ data }, { 'f:data': { 'f:other': LEAF } })).toHaveLength(20);
  });

  it('is compared in a time that grows with its size alone, with 20,000 items without all their keys', () => {
    const ports = Array.from({ length: 20_000 }, (_, port) => ({ port }));
    const items = ports.map(({ port }) => [`k:{"port":${port},"protocol":"TCP"}`, { 'f:port': LEAF }]);
    const before = performance.now();

    expect(lost({ ports }, { 'f:ports': Object.fromEntries(items) })).toEqual([]);
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

describe('a difference that an apply does not remove', () => {
  const wanted = { object: { data: { a: 1, b: 2 } }, hash: 'h' };
  const live = { uid: 'u', appliedHash: 'h', fields: { 'f:data': { 'f:a': LEAF } } };

  it('is not sent again until something else differs', () => {
    const tolerance = new Tolerance();
    expect(tolerance.differences(live, wanted)).toEqual(['data.b']);
    tolerance.note(live, wanted);

    expect(tolerance.differences(live, wanted)).toEqual([]);
    expect(tolerance.differences({ ...live, fields: {} }, wanted)).toEqual(['data']);
    expect(tolerance.differences({ ...live, uid: 'other' }, wanted)).toEqual(['data.b']);
    expect(tolerance.differences(live, { ...wanted, hash: 'i' })).toHaveLength(1);
  });

  it('is forgotten when an apply has removed it, and for the oldest of more than 20,000 children', () => {
    const tolerance = new Tolerance();
    tolerance.note(live, wanted);
    tolerance.note({ ...live, fields: { 'f:data': LEAF } }, wanted);
    expect(tolerance.differences(live, wanted)).toEqual(['data.b']);

    for (let child = 0; child <= 20_000; child += 1) tolerance.note({ ...live, uid: String(child) }, wanted);
    expect(tolerance.differences({ ...live, uid: '0' }, wanted)).toEqual(['data.b']);
    expect(tolerance.differences({ ...live, uid: '1' }, wanted)).toEqual([]);
  });
});
