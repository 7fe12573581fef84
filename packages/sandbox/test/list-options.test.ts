import { describe, expect, it } from 'vitest';
import { Kinds } from '../src/kinds.ts';
import { isTrue, parseListOptions, tooLargeResourceVersion, type ListOptions } from '../src/list-options.ts';

function parse(query: string): ListOptions {
  const kind = new Kinds().find('', 'v1', 'configmaps');
  if (kind === undefined) throw new Error('no configmaps');
  return parseListOptions(kind, new URLSearchParams(query));
}

describe('the query of a list or a watch', () => {
  it.each([
    [null, false],
    ['', true],
    ['1', true],
    ['true', true],
    ['0', false],
    ['False', false],
  ])('%j means true: %s', (value, expected) => {
    expect(isTrue(value)).toBe(expected);
  });

  it('what is absent is empty', () => {
    expect(parse('')).toMatchObject({ watch: false, limit: 0, resourceVersion: '', revision: 0, selects: false });
    expect(parse('').sendInitialEvents).toBeUndefined();
  });

  it.each([
    ['resourceVersionMatch=Exact', 422, 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    [
      'resourceVersionMatch=Foo&resourceVersion=3',
      422,
      'Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      422,
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=3&continue=x',
      422,
      'resourceVersionMatch is forbidden when continue is provided',
    ],
    ['sendInitialEvents=true', 422, 'sendInitialEvents is forbidden for list'],
    ['watch=1&sendInitialEvents=true', 422, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    [
      'watch=1&resourceVersionMatch=NotOlderThan',
      422,
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    ['resourceVersion=abc', 400, 'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint'],
    ['watch=1&resourceVersion=abc', 500, 'resourceVersion: Invalid value: "abc": strconv.ParseUint'],
    ['limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ])('%s is refused with %d', (query, code, message) => {
    expect(() => parse(query)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it('a revision that is not reached yet is a time-out that asks to try again', () => {
    expect(tooLargeResourceVersion(9, 3).status).toMatchObject({
      code: 504,
      message: 'Timeout: Too large resource version: 9, current: 3',
      details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
  });
});
