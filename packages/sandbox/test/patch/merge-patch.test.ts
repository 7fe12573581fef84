import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { applyMergePatch } from '../../src/patch/merge-patch.ts';

describe('a merge patch', () => {
  it.each<readonly [string, JsonObject, JsonObject, JsonObject]>([
    ['merges maps', { a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
    ['removes by null', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['replaces a scalar by a map, without its nulls', { a: 1 }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    ['adds a map without its nulls', {}, { a: { b: null, c: { d: null } } }, { a: { c: {} } }],
    ['keeps nulls that are items', {}, { a: [null, { b: null }] }, { a: [null, {}] }],
  ])('%s', (_title, current, patch, expected) => {
    expect(applyMergePatch(current, patch)).toEqual(expected);
  });

  it.each<readonly [unknown, string]>([
    [[1], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [null, 'Invalid JSON Patch'],
  ])('is refused with 400 when it is %j', (patch, message) => {
    expect(() => applyMergePatch({}, patch)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});
