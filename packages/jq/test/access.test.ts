import { describe, expect, it } from 'vitest';
import { getPath, sliceBounds } from '../src/access.ts';
import { deletePaths, setPath } from '../src/path-writer.ts';
import { resultLine } from './our-jq.ts';

describe('paths', () => {
  const value = { a: [1, { b: 2 }] };

  it('lead to a value, or to null', () => {
    expect(getPath(value, ['a', 1, 'b'])).toBe(2);
    expect(getPath(value, ['x', 'y', 0])).toBe(null);
    expect(getPath(value, ['a', { start: 1, end: null }])).toEqual([{ b: 2 }]);
  });

  it('are set in a copy that shares what is not on the way', () => {
    const changed = setPath(value, ['c', 'd'], 3);

    expect(changed).toEqual({ a: [1, { b: 2 }], c: { d: 3 } });
    expect(getPath(changed, ['a'])).toBe(value.a);
    expect(value).toEqual({ a: [1, { b: 2 }] });
  });

  it('are deleted from the last to the first', () => {
    expect(deletePaths([1, 2, 3, 4], [[0], [2], [-1]])).toEqual([2]);
    expect(deletePaths([0, 1, 2, 3, 4], [[1], [-2], [{ start: -1, end: null }]])).toEqual([0, 2]);
    expect(
      deletePaths(value, [
        ['a', 0],
        ['a', 5],
        ['q', 'r'],
      ]),
    ).toEqual({ a: [{ b: 2 }] });
    expect(deletePaths(value, [[]])).toBe(null);
  });
});

describe('errors', () => {
  it.each([
    ['.a', 1, 'Cannot index number with string ("a")'],
    ['.[0]', {}, 'Cannot index object with number (0)'],
    ['.["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]', [], 'Cannot index array with string ("aaaaaaaaaaaaaaaaaaaaaaaa...")'],
    ['.[{}] = 1', {}, 'Cannot index object with object ({})'],
    ['.[0:1] = "b"', 'a', 'Cannot update string slices'],
    ['.[1:] = 5', [1], 'A slice of an array can only be assigned another array'],
    ['.["a":]', [1], 'Array/string slice indices must be integers'],
    ['.[-5] = 1', [1], 'Out of bounds negative array index'],
    ['.[1e10] = 1', [1], 'Array index too large'],
    ['delpaths([["a"]])', [1], 'Cannot delete string element of array'],
    ['delpaths([[1]])', { a: 1 }, 'Cannot delete number field of object'],
    ['delpaths([["a"]])', 1, 'Cannot delete fields from number'],
    ['delpaths([1])', [1], 'Path must be specified as an array'],
    ['.[true]', null, 'Cannot index null with boolean (true)'],
  ])('of %s', (program, input, message) => {
    expect(resultLine(program, input)).toBe(`!! ${message}`);
  });
});

it('bounds of a slice are within the array', () => {
  expect(sliceBounds(5, null, null)).toEqual([0, 5]);
  expect(sliceBounds(5, -2, null)).toEqual([3, 5]);
  expect(sliceBounds(5, 4, 2)).toEqual([4, 4]);
  expect(sliceBounds(5, -9, 99)).toEqual([0, 5]);
  expect(sliceBounds(5, 1.2, 3.5)).toEqual([1, 4]);
});
