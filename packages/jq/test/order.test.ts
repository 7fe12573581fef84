import { describe, expect, it } from 'vitest';
import { compareStrings } from '../src/compare-text.ts';
import { areEqual, compareValues, sortedKeys } from '../src/order.ts';
import type { JsonValue } from '../src/value.ts';

const ASCENDING: readonly JsonValue[] = [
  null,
  false,
  true,
  -1,
  0,
  0.5,
  '',
  'A',
  'a',
  'ab',
  '\uffff',
  '😀',
  [],
  [1],
  [1, 0],
  [2],
  {},
  { a: 1 },
  { a: 2 },
  { a: 1, b: 0 },
  { b: 0 },
];

describe('the order of values', () => {
  it('is null, false, true, numbers, strings, arrays, objects', () => {
    for (const [index, left] of ASCENDING.entries()) {
      for (const [other, right] of ASCENDING.entries()) {
        expect(Math.sign(compareValues(left, right))).toBe(Math.sign(index - other));
      }
    }
  });

  it('has NaN below every number, itself included', () => {
    expect(compareValues(NaN, -Infinity)).toBeLessThan(0);
    expect(compareValues(NaN, NaN)).toBeLessThan(0);
    expect(areEqual(NaN, NaN)).toBe(false);
  });

  it('has strings by code point, not by UTF-16 unit', () => {
    expect(compareStrings('\uff5e', '😀')).toBeLessThan(0);
    expect(sortedKeys({ '😀': 1, '\uff5e': 2, a: 3 })).toEqual(['a', '\uff5e', '😀']);
  });

  it('does not see the order of keys', () => {
    expect(areEqual({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  });
});
