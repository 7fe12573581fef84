import { describe, expect, it } from 'vitest';
import { findMatches, hasMatch, regexFrom } from '../src/regex.ts';
import { RaisedValue } from '../src/signals.ts';

describe('matches', () => {
  it('count code points, not UTF-16 units', () => {
    const [match] = findMatches('😀😀b😀', regexFrom('b(😀)', null));

    expect(match).toMatchObject({ offset: 2, length: 2, captures: [{ offset: 3, length: 1, string: '😀' }] });
  });

  it('are all found with g, empty ones once at each place', () => {
    expect(findMatches('a😀', regexFrom('', 'g')).map(({ offset }) => offset)).toEqual([0, 1, 2]);
    expect(findMatches('aaa', regexFrom('a*', 'g')).map(({ length }) => length)).toEqual([3, 0]);
  });

  it('leave out empty ones with n', () => {
    expect(findMatches('ab', regexFrom('b*', 'gn'))).toHaveLength(1);
    expect(hasMatch('aa', regexFrom('b*', 'n'))).toBe(false);
  });

  it('do not depend on what was matched before', () => {
    const regex = regexFrom('a', 'g');

    expect([hasMatch('a', regex), hasMatch('a', regex), findMatches('a', regex).length]).toEqual([true, true, 1]);
  });
});

describe('flags', () => {
  it('that do not exist are refused', () => {
    expect(() => regexFrom('a', 'q')).toThrow(expect.objectContaining({ value: 'q is not a valid modifier string' }));
    expect(() => regexFrom('a', 1)).toThrow(RaisedValue);
  });

  it('may be null, or repeated', () => {
    expect(findMatches('aa', regexFrom('a', 'gg'))).toHaveLength(2);
    expect(findMatches('aa', regexFrom('a', null))).toHaveLength(1);
  });
});
