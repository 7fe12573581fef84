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
    ['aab', '^a{,2}b', false],
    ['a{,2}b', '^a{,2}b', true],
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
    ['a\nb', '(?m)^b', true],
    ['a\nb', '(?m)a$', true],
    ['a\nb', '(?m:a$)', true],
    ['a\nb', '(?m:a$)\\nb$', true],
    ['a\nb\nc', '(?m:^b)\\nc', true],
    ['a\nb\nc', '(?m:a)\\n^b', false],
    ['a\n', '\\n(?m)^', false],
    ['', '(?m)^$', true],
    ['a\nb', '(?m)\\Ab', false],
    ['a\nb', '(?m)a.b', false],
    ['a\nb', '(?m-i)^B', false],
    ['a\nb', '(?s)a.b', true],
    ['a\nb', '(?s:a.)b', true],
    ['a\nb\nc', '(?s:a.b).c', false],
    ['a\nb\nc', '((?s)a.b).c', false],
    ['a\nb\nc', '(?i)A(?s).B.c', true],
    ['a\nb\nc', '(?ms)^b.c$', true],
    ['a\nb', '(?i-s)a.b', false],
    ['ab', '(?x)a b # c', true],
    ['ab', '(?x: a ) b', false],
    ['a b', '(?x: a )\\ b', true],
    ['a.b', '^\\Qa.b\\E$', true],
    ['axb', '\\Qa.b\\E', false],
    ['a.bb', '^\\Qa.b\\E+$', true],
    ['a b', '(?x) \\Qa b\\E', true],
    ['[x', '\\Q[x', true],
    ['é', '^\\pL$', true],
    ['1', '\\PN', false],
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
