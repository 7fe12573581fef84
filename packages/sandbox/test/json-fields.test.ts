import { describe, expect, it } from 'vitest';
import {
  arrayAt,
  at,
  numberAt,
  objectAt,
  objectsAt,
  present,
  stringMapAt,
  textAt,
  textsAt,
  withAt,
  withDefaultsAt,
  without,
} from '../src/json-fields.ts';

const object = { a: { b: ['x', 1, { c: 2 }], n: 3, t: 'text' }, nothing: null };

describe('fields of JSON', () => {
  it('a path that ends early leads to nothing', () => {
    expect(at(object, 'a', 'z', 'z')).toBeUndefined();
    expect(at(object, 'nothing', 'z')).toBeUndefined();
    expect(at(undefined, 'a')).toBeUndefined();
  });

  it('names of the prototype are no fields', () => {
    expect(at(object, 'constructor')).toBeUndefined();
  });

  it('a value of another type counts as absent', () => {
    expect(textAt(object, 'a', 'n')).toBe('');
    expect(numberAt(object, 'a', 't')).toBeUndefined();
    expect(objectAt(object, 'a', 't')).toEqual({});
    expect(arrayAt(object, 'a', 't')).toEqual([]);
  });

  it('entries of another type are passed over', () => {
    expect(textsAt(object, 'a', 'b')).toEqual(['x']);
    expect(objectsAt(object, 'a', 'b')).toEqual([{ c: 2 }]);
    expect(stringMapAt(object, 'a')).toEqual([['t', 'text']]);
  });

  it('a change makes what is missing on the way, and leaves the original alone', () => {
    const changed = withAt(object, ['p', 'q'], 1);

    expect(changed).toEqual({ ...object, p: { q: 1 } });
    expect(object).not.toHaveProperty('p');
  });

  it('a default never replaces what is said; null and an empty object say nothing', () => {
    expect(withDefaultsAt({ a: { x: 1 } }, ['a'], { x: 2, y: 2 })).toEqual({ a: { x: 1, y: 2 } });
    expect(withDefaultsAt({ x: null, y: {}, z: '' }, [], { x: 2, y: { z: 1 }, z: 'z' })).toEqual({
      x: 2,
      y: { z: 1 },
      z: '',
    });
  });

  it('fields can be left out', () => {
    expect(without({ a: 1, b: 2 }, 'a')).toEqual({ b: 2 });
    expect(present({ a: undefined, b: null })).toEqual({ b: null });
  });
});
