import { describe, expect, it } from 'vitest';
import { resultLine } from './our-jq.ts';

describe('a pattern in Oniguruma syntax', () => {
  it.each([
    ['x', '\\h', false],
    ['f', '^\\h$', true],
    ['g', '\\H', true],
    ['é', '^\\w$', true],
    ['٣', '^\\d$', true],
    ['a b', 'a\\sb', true],
    ['a\u00a0b', 'a\\sb', true],
    ['abc', '\\Aabc\\z', true],
    ['abc\n', 'abc$', true],
    ['abc\n', 'abc\\z', false],
    ['a\nb', '^b', false],
    ['a-b', '[\\w-]-', true],
    ['-', '[a-]', true],
    ['-', '[-a]', true],
    ['b', '[a\\-c]', false],
    ['b', '[a-c]', true],
    [']', '[]a]', true],
    ['[', '[[]', true],
    ['}', '}', true],
    ['{', '{', true],
    ['a{,2}', 'a{,2}b', false],
    ['aab', '^a{,2}b', true],
    ['a,b', 'a\\,b', true],
    ['a"b', 'a\\"b', true],
    ['a b', 'a\\ b', true],
    ['a@b:c', 'a\\@b\\:c', true],
    ['a/b', 'a/b', true],
    ['A1_', '^[[:alnum:]_]+$', true],
    ['A', '^[[:lower:]]$', false],
    ['A', '^\\p{Upper}$', true],
    ['1', '^\\p{^Alpha}$', true],
    ['漢', '^\\p{Han}$', true],
    ['ABC', '(?i)abc', true],
    ['aBC', 'a(?i:bc)', true],
    ['ABC', 'a(?i:bc)', false],
    ['ab ab', '\\bab\\b', true],
    ['xabx', '\\bab\\b', false],
    ['abab', '^(ab)\\1$', true],
    ['abab', '^(?<x>ab)\\k<x>$', true],
    ['ab', 'a(?#comment)b', true],
    ['\x07\x1b', '^\\a\\e$', true],
    ['é', '^\\x{e9}$', true],
    ['é', '^\\u00e9$', true],
    ['a.b', 'a[.]b', true],
    ['a^b', 'a[\\^]b', true],
    ['foobar', '(?<=foo)bar', true],
    ['foobar', '(?<!foo)bar', false],
    ['$1', '[$]1', true],
    ['a|b', 'a[|]b', true],
    ['&', '[&]', true],
  ])('%j against %s is %s', (text, pattern, expected) => {
    expect(resultLine('test($pattern)', text, { variables: { pattern } })).toBe(String(expected));
  });

  it.each([
    ['(', 'is not a valid regex: end pattern with unmatched parenthesis'],
    ['[a', 'is not a valid regex: premature end of char-class'],
    ['a++', 'possessive quantifiers are not supported'],
    ['(?>a)', 'is not supported'],
    ['*', 'is not a valid regex: Nothing to repeat'],
    ['\\p{Nope}', 'is not a valid regex'],
  ])('%s is reported', (pattern, message) => {
    expect(resultLine('test($pattern)', 'x', { variables: { pattern } })).toContain(message);
  });

  it('may name two groups alike, or as JavaScript would not', () => {
    expect(resultLine('capture("(?<a>x)|(?<a>y)")', 'y')).toBe('{"a":"y"}');
    expect(resultLine('capture("(?<a-b>y)")', 'y')).toBe('{"a-b":"y"}');
  });

  it('in extended form ignores white space and comments', () => {
    expect(resultLine('test("a b # comment\\n c"; "x"), test("a\\\\ b"; "x")', 'abc')).toBe('true false');
  });
});
