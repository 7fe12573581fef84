import { describe, expect, it } from 'vitest';
import { isJsonArray, isJsonObject } from '../src/json.ts';

describe('JSON values', () => {
  it.each([
    [{}, true, false],
    [[], false, true],
    [null, false, false],
    ['text', false, false],
    [1, false, false],
    [undefined, false, false],
  ])('%j is an object: %s, an array: %s', (value, object, array) => {
    expect(isJsonObject(value)).toBe(object);
    expect(isJsonArray(value)).toBe(array);
  });
});
