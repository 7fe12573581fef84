import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/lib/exact-json.ts';

describe('JSON that is parsed and written again', () => {
  it.each(['9007199254740993', '-9223372036854775808', '18446744073709551615', '1e999', '0.1234567890123456789'])(
    'keeps the number %s',
    (number) => {
      expect(JSON.stringify(parseExactJson(`{"a":[${number}]}`))).toBe(`{"a":[${number}]}`);
    },
  );

  it('has ordinary numbers beside one that is kept as its text', () => {
    expect(parseExactJson('{"big":9007199254740993,"a":1,"b":0.5,"c":1000}')).toMatchObject({ a: 1, b: 0.5, c: 1000 });
  });

  it('is the same value as for JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseExactJson(text))).toBe(text);
      }),
    );
  });

  it('may be nested deeper than a reviver goes', () => {
    const text = `${'['.repeat(50_000)}9007199254740993${']'.repeat(50_000)}`;
    expect(() => parseExactJson(text)).not.toThrow();
  });

  it('is refused where it is no JSON', () => {
    expect(() => parseExactJson('{"a":9007199254740993')).toThrow(SyntaxError);
  });
});
