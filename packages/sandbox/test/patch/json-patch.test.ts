import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { applyJsonPatch } from '../../src/patch/json-patch.ts';

const DOCUMENT: JsonObject = { data: { a: '1', 'b/c~d': '2' }, list: ['x', 'y'], none: null };

describe('a JSON patch does its operations in order', () => {
  it.each<readonly [string, readonly JsonObject[], JsonObject]>([
    ['add to an object', [{ op: 'add', path: '/data/z', value: 1 }], { data: { a: '1', 'b/c~d': '2', z: 1 } }],
    ['add before an item', [{ op: 'add', path: '/list/1', value: 'n' }], { list: ['x', 'n', 'y'] }],
    ['add at the end', [{ op: 'add', path: '/list/-', value: 'n' }], { list: ['x', 'y', 'n'] }],
    ['add at the length', [{ op: 'add', path: '/list/2', value: 'n' }], { list: ['x', 'y', 'n'] }],
    ['remove by an escaped key', [{ op: 'remove', path: '/data/b~1c~0d' }], { data: { a: '1' } }],
    ['remove an item', [{ op: 'remove', path: '/list/0' }], { list: ['y'] }],
    ['replace a value', [{ op: 'replace', path: '/data/a', value: '9' }], { data: { a: '9', 'b/c~d': '2' } }],
    ['replace counts back from the end', [{ op: 'replace', path: '/list/-1', value: 'n' }], { list: ['x', 'n'] }],
    ['replace adds a missing key', [{ op: 'replace', path: '/data/n', value: 1 }], { data: { ...data(), n: 1 } }],
    ['move', [{ op: 'move', from: '/data/a', path: '/data/m' }], { data: { 'b/c~d': '2', m: '1' } }],
    ['copy', [{ op: 'copy', from: '/data/a', path: '/data/m' }], { data: { ...data(), m: '1' } }],
    ['test what is there', [{ op: 'test', path: '/list', value: ['x', 'y'] }], {}],
    ['test null for what is not there', [{ op: 'test', path: '/data/nope', value: null }], {}],
    [
      'a later operation sees an earlier one',
      [
        { op: 'add', path: '/new', value: {} },
        { op: 'add', path: '/new/deep', value: 1 },
        { op: 'test', path: '/new/deep', value: 1 },
      ],
      { new: { deep: 1 } },
    ],
  ])('%s', (_title, patch, changed) => {
    expect(applyJsonPatch(DOCUMENT, patch)).toEqual({ ...DOCUMENT, ...changed });
  });

  it('replaces the whole object', () => {
    expect(applyJsonPatch(DOCUMENT, [{ op: 'replace', path: '', value: { x: 1 } }])).toEqual({ x: 1 });
  });

  it('leaves the object that it got as it was', () => {
    const before = structuredClone(DOCUMENT);

    applyJsonPatch(DOCUMENT, [{ op: 'remove', path: '/data/a' }]);

    expect(DOCUMENT).toEqual(before);
  });
});

function data(): JsonObject {
  return { a: '1', 'b/c~d': '2' };
}

describe('a JSON patch that does not fit is refused with 422 and the server’s one text', () => {
  it.each<readonly [string, JsonObject]>([
    ['a failing test', { op: 'test', path: '/data/a', value: '2' }],
    ['a test of a missing value', { op: 'test', path: '/data/nope', value: 1 }],
    ['removing a missing key', { op: 'remove', path: '/data/nope' }],
    ['a missing parent', { op: 'add', path: '/nope/x', value: 1 }],
    ['a scalar as parent', { op: 'add', path: '/data/a/x', value: 1 }],
    ['an index beyond the end', { op: 'add', path: '/list/3', value: 1 }],
    ['an index that is no number', { op: 'replace', path: '/list/x', value: 1 }],
    ['an unknown operation', { op: 'bogus', path: '/data/a', value: 1 }],
    ['no path', { op: 'add', value: 1 }],
    ['no from', { op: 'move', path: '/data/b' }],
    ['moving a missing key', { op: 'move', from: '/data/nope', path: '/data/b' }],
  ])('%s', (_title, operation) => {
    expect(() => applyJsonPatch(DOCUMENT, [operation])).toThrow(
      expect.objectContaining({
        code: 422,
        reason: 'Invalid',
        message: 'the server rejected our request due to an error in our request',
      }),
    );
  });
});

describe('a JSON patch that is none is refused with 400', () => {
  it.each<readonly [unknown, string]>([
    [{ op: 'add' }, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
    [[true], 'error decoding patch: json: cannot unmarshal bool into Go value of type handlers.jsonPatchOp'],
  ])('%j', (patch, message) => {
    expect(() => applyJsonPatch(DOCUMENT, patch)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});
