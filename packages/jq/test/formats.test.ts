import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../src/formats.ts';
import { resultLine } from './our-jq.ts';

describe('formats', () => {
  it.each([
    ['@text', [1, 'a'], '[1,"a"]'],
    ['@json', 'a', '"a"'],
    ['@html', '<&\'">', '&lt;&amp;&apos;&quot;&gt;'],
    ['@uri', 'a b/é~', 'a%20b%2F%C3%A9~'],
    ['@csv', [1, 'a"b', null, true], '1,"a""b",,true'],
    ['@tsv', ['a\tb', 'c\\d\n', null], 'a\\tb\tc\\\\d\\n\t'],
    ['@sh', ["it's", 1, null], "'it'\\''s' 1 null"],
    ['@base64', 'ü', 'w7w='],
    ['@base64d', 'w7w', 'ü'],
    ['@base32', 'hello', 'NBSWY3DP'],
    ['@base32d', 'NBSWY3DP', 'hello'],
  ])('%s of %j', (name, value, expected) => {
    expect(FORMATS[name]?.(value)).toBe(expected);
  });

  it.each([
    ['"*" | @base64d', 'string ("*") is not valid base64 data'],
    ['"a" | @base64d', 'string ("a") trailing base64 byte found'],
    ['"1" | @base32d', 'string ("1") is not valid base32 data'],
    ['1 | @csv', 'number (1) cannot be csv-formatted, only array'],
    ['[{}] | @csv', 'object ({}) is not valid in a csv row'],
    ['{} | @sh', 'object ({}) can not be escaped for shell'],
    ['"%" | @urid', 'string ("%") is not a valid uri encoding'],
  ])('%s is refused', (program, message) => {
    expect(resultLine(program)).toBe(`!! ${message}`);
  });

  it.each([
    ['@base64', '@base64d'],
    ['@base32', '@base32d'],
    ['@uri', '@urid'],
  ])('%s and %s are inverse', (encode, decode) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(FORMATS[decode]?.(FORMATS[encode]?.(text) ?? '')).toBe(text);
      }),
    );
  });
});
