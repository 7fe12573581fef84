import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt, jsonText, numberText } from '../src/json-text.ts';

describe('a number', () => {
  it.each([
    [0, '0'],
    [-0, '-0'],
    [1e15, '1000000000000000'],
    [1e17, '1e+17'],
    [1.5e300, '1.5e+300'],
    [0.1 + 0.2, '0.30000000000000004'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1e-7, '1e-07'],
    [123456789012345680000, '123456789012345680000'],
    [-1.25, '-1.25'],
    [Infinity, '1.7976931348623157e+308'],
    [-Infinity, '-1.7976931348623157e+308'],
    [NaN, 'null'],
  ])('%d is written as %s', (value, expected) => {
    expect(numberText(value)).toBe(expected);
  });

  it('reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Object.is(Number(numberText(value)), value)).toBe(true);
      }),
    );
  });
});

describe('JSON text', () => {
  const value = { b: [1, { c: [] }], a: 'é\u007f', d: {} };

  it('is compact without an indent', () => {
    expect(jsonText(value)).toBe('{"b":[1,{"c":[]}],"a":"é\\u007f","d":{}}');
    expect(jsonText({ 'a\u007f': 1 })).toBe('{"a\\u007f":1}');
  });

  it('is indented as asked', () => {
    expect(jsonText({ a: [1, {}], b: [] }, { indent: '  ' })).toBe('{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}');
  });

  it('has sorted keys and only ASCII where asked', () => {
    expect(jsonText({ b: 1, a: 'é😀' }, { sortKeys: true, ascii: true })).toBe('{"a":"\\u00e9\\ud83d\\ude00","b":1}');
  });

  it('keeps keys that are special in JavaScript', () => {
    expect(jsonText(JSON.parse('{"__proto__":1.5}'))).toBe('{"__proto__":1.5}');
  });
});

it('an excerpt is cut by bytes', () => {
  expect(excerpt('abcdefghijklmnopqrstuvwxyz012')).toBe('"abcdefghijklmnopqrstuvwx..."');
  expect(excerpt('short')).toBe('"short"');
});
