import { describe, expect, it } from 'vitest';
import { resultLine } from './our-jq.ts';

describe('what jq 1.8 and later do as no version before', () => {
  it.each([
    ['"true", false | toboolean', 'true false'],
    ['try ("yes" | toboolean) catch .', '"string (\\"yes\\") cannot be parsed as a boolean"'],
    ['"a", [], -2 | abs', '"a" [] 2'],
    ['try (null | abs) catch .', '"null (null) cannot be negated"'],
    ['limit(-1; 1)', "!! limit doesn't support negative count"],
    ['skip(-1; 1)', "!! skip doesn't support negative count"],
    ['nth(-1; 1)', "!! nth doesn't support negative indices"],
    ['limit("x"; 1)', '!! string ("x") and number (1) cannot be subtracted'],
    ['"ab" * (0, 0.9, 1.9, -1)', '"" "" "ab" null'],
    ['[0, 1, 2] | .[nan], .[1:nan], .[nan:1], del(.[nan])', 'null [1,2] [0] [0,1,2]'],
    ['[0] | .[nan] = 1', '!! Cannot set array element at NaN index'],
    ['[range(8)] | del(.[1], .[-1], .[2:4])', '[0,4,5,6]'],
    ['[2024, 1] | mktime, strftime("%F")', '1706659200 "2024-01-31"'],
    ['[2023, 1, 30] | strftime("%F %j %u")', '"2023-03-02 061 4"'],
    ['"\\u00a0\\u0085 a\\u3000\\ufeff" | trim, (rtrim | length), (ltrim | length)', '"a　﻿" 6 3'],
    ['(infinite, -infinite) % (3, -infinite)', '1 -2 9223372036854776000 0'],
    ['" 1" | tonumber', '!! string (" 1") cannot be parsed as a number'],
    ['1 | ltrimstr("a")', '!! startswith() requires string inputs'],
    ['1 | rtrimstr("a")', '!! endswith() requires string inputs'],
    ['[limit(3; 1 | repeat(. * 2))]', '[2,2,2]'],
    ['nan, infinite | isfinite', 'true false'],
    [
      'try ("abcdefghijklmnopqrstuvwxyz0123" - 1) catch .',
      '"string (\\"abcdefghijklmnopqrstuvwx...\\") and number (1) cannot be subtracted"',
    ],
    ['try ([range(50)] - {}) catch .', '"array ([0,1,2,3,4,5,6,7,8,9,10,1...]) and object ({}) cannot be subtracted"'],
    ['try (("é" * 20) - 1) catch .', '"string (\\"éééééééééééé...\\") and number (1) cannot be subtracted"'],
  ])('%s', (program, expected) => {
    expect(resultLine(program)).toBe(expected);
  });

  it.each(['{(0): 1}', '{a: 1, (true): 2}', '. as {(null): $x} | $x'])('%s does not compile', (program) => {
    expect(resultLine(program)).toBe('!! compile');
  });
});

describe('a value of 10,000 levels', () => {
  const nested = (levels: number): string => `reduce range(${levels - 1}) as $_ ([]; [.])`;

  it.each([
    [`${nested(10_000)} | tojson | length`, '20000'],
    [`${nested(10_000)} | flatten`, '[]'],
    [`(${nested(10_000)}) as $a | (${nested(10_000)}) as $b | $a == $b, ([$a, $b] | unique | length)`, 'true 1'],
    [`(${nested(10_000)}) as $a | $a | contains($a)`, 'true'],
    ['setpath([range(10000) | 0]; 1) | [..] | length', '10001'],
    ['reduce range(10000) as $_ ({}; {a: .}) | . * . | [..] | length', '10001'],
  ])('is taken by %s', (program, expected) => {
    expect(resultLine(program)).toBe(expected);
  });

  it.each([
    [`${nested(10_002)} | tojson | test("<skipped: too deep>")`, 'true'],
    [`(${nested(10_002)}) as $a | (${nested(10_002)}) as $b | $a == $b`, '!! Equality check too deep'],
    [`[${nested(10_002)}] | [.[0], .[0]] | sort`, '!! Comparison too deep'],
    [`(${nested(10_002)}) as $a | $a | contains($a)`, '!! Containment check too deep'],
    ['reduce range(10001) as $_ ({}; {a: .}) | . * .', '!! Object merge too deep'],
    ['setpath([range(10001) | 0]; 1)', '!! Path too deep'],
    ['getpath([range(10001) | 0])', '!! Path too deep'],
    ['delpaths([[range(10001) | 0]])', '!! Path too deep'],
  ])('and one of more is refused by %s', (program, expected) => {
    expect(resultLine(program)).toBe(expected);
  });
});
