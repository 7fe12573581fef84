import { describe, expect, it } from 'vitest';
import { costOf, worstCaseOf } from '../src/regex-cost.ts';
import { translatePattern } from '../src/regex-syntax.ts';

const worst = (pattern: string, length: number): number =>
  worstCaseOf(
    costOf(translatePattern(pattern, { isExtended: false, dotMatchesNewline: false, isMultiline: false }).pattern),
    length,
  );

/** What runs on the event loop. */
const BRIEF = 1_000_000;

describe('the worst case of a search', () => {
  it.each([
    ['^web-', 253],
    ['^[a-z0-9-]+$', 253],
    ['[0-9]+', 10_000],
    ['^(.*)-([a-z0-9]+)-[a-z0-9]{5}$', 63],
    ['^(?:docker\\.io/)?library/(nginx|redis):[0-9.]+$', 253],
    ['\\bapp\\b', 1000],
    ['v(\\d+)\\.(\\d+)', 63],
  ])('of %s in %i characters is small', (pattern, length) => {
    expect(worst(pattern, length)).toBeLessThanOrEqual(BRIEF);
  });

  it.each([
    ['(a+)+$', 10],
    ['(a*)*b', 10],
    ['(a|aa)+$', 10],
    ['(a|a)*$', 10],
    ['(?:(?:a?){30})a{30}', 30],
    ['(.*)(.*)(.*)(.*)(.*)x', 100],
    ['\\s+$', 100_000],
    ['(.)(.*)\\2\\1', 1000],
    [`${'a?'.repeat(30)}${'a'.repeat(30)}`, 30],
    ['x*y*'.repeat(200), 30],
    ['(x{1,1000}){1,1000}', 30],
  ])('of %s in %i characters is not', (pattern, length) => {
    expect(worst(pattern, length)).toBeGreaterThan(BRIEF);
  });
});
