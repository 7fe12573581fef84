import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import {
  present,
  readFields,
  readFlag,
  readInteger,
  readList,
  readOptionalText,
  readText,
  readWord,
  type Read,
} from '../../src/hook/config-reader.ts';

function read<T>(
  reader: Read<T>,
  value: unknown,
): { readonly value: T | undefined; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  return { value: reader(value, { path: 'at', issues }), issues };
}

describe('readers of one value', () => {
  it.each<[string, Read<unknown>, unknown, unknown]>([
    ['a string', readText, '', ''],
    ['an optional string', readOptionalText, 'x', 'x'],
    ['an empty optional string as none', readOptionalText, '', undefined],
    ['a flag', readFlag, false, false],
    ['a whole number', readInteger, -3, -3],
    ['a word as what it means', readWord({ one: 1 }), 'one', 1],
    ['a list', readList(readText), ['a', 'b'], ['a', 'b']],
  ])('accept %s', (_law, reader, value, expected) => {
    expect(read(reader, value)).toEqual({ value: expected, issues: [] });
  });

  it.each<[string, Read<unknown>, unknown, string]>([
    ['number for a string', readText, 5, 'got 5, expected a string'],
    ['null for a string', readText, null, 'got null, expected a string'],
    ['string for a flag', readFlag, 'true', 'got "true", expected true or false'],
    ['fraction', readInteger, 1.5, 'got 1.5, expected a whole number'],
    ['unknown word', readWord({ one: 1, two: 2 }), 'three', 'got "three", expected one of one, two'],
    ['word every object has', readWord({ one: 1 }), 'constructor', 'got "constructor", expected one of one'],
    ['string for a list', readList(readText), 'a', 'got "a", expected a list'],
    ['short list', readList(readText, 1), [], 'got [], expected a list with at least one element'],
  ])('refuse a %s', (_law, reader, value, message) => {
    expect(read(reader, value)).toEqual({ value: undefined, issues: [{ path: 'at', message }] });
  });

  it('cut long values in messages', () => {
    const [issue] = read(readFlag, 'x'.repeat(500)).issues;

    expect(issue?.message.length).toBeLessThan(150);
  });
});

describe('readFields', () => {
  const reader = readFields(
    { name: readText, 'a.b': readList(readFlag) },
    { required: { name: 'a name' }, isNonEmpty: true },
  );

  it('returns known fields, absent ones as undefined', () => {
    expect(read(reader, { name: 'x' })).toEqual({ value: { name: 'x', 'a.b': undefined }, issues: [] });
  });

  it('reports every problem with its path', () => {
    expect(read(reader, { nam: 1, 'a.b': [true, 'no', 3] }).issues).toEqual([
      { path: 'at.nam', message: 'unknown field, did you mean name?' },
      { path: 'at.name', message: 'missing, expected a name' },
      { path: 'at["a.b"][1]', message: 'got "no", expected true or false' },
      { path: 'at["a.b"][2]', message: 'got 3, expected true or false' },
    ]);
  });

  it.each([
    ['an empty mapping', {}, 'got {}, expected some of name, a.b'],
    ['a list', [], 'got [], expected a mapping'],
    ['nothing', null, 'got null, expected a mapping'],
  ])('refuses %s', (_law, value, message) => {
    expect(read(reader, value).issues).toEqual([{ path: 'at', message }]);
  });

  it('names the known fields when none is near', () => {
    expect(read(reader, { name: 'x', concurrency: 1 }).issues).toEqual([
      { path: 'at.concurrency', message: 'unknown field, expected one of name, a.b' },
    ]);
  });
});

describe('present', () => {
  it('leaves out what has no value', () => {
    expect(Object.keys(present({ a: undefined, b: 0, c: '', d: false }))).toEqual(['b', 'c', 'd']);
  });
});
