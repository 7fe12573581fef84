import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brokenDownTime, formatTime, parseTime, secondsOf } from '../src/time-format.ts';

describe('a time', () => {
  it('breaks down and comes back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -60_000_000_000, max: 250_000_000_000 }), (seconds) => {
        const time = brokenDownTime(seconds, 'UTC');
        expect(secondsOf(time)).toBe(seconds);
        expect(parseTime(formatTime(time, '%s', 'UTC'), '%s')).toEqual(time);
      }),
    );
  });

  it('keeps fractions of a second', () => {
    expect(brokenDownTime(0.25, 'UTC')).toEqual([1970, 0, 1, 0, 0, 0.25, 4, 0]);
    expect(brokenDownTime(-0.5, 'UTC').slice(3, 6)).toEqual([23, 59, 59.5]);
  });

  it.each([
    ['2024-02-29T12:00:00Z', '%Y-%m-%dT%H:%M:%SZ', [2024, 1, 29, 12, 0, 0, 4, 59]],
    ['Sun, 1 Jan 2023', '%a, %d %b %Y', [2023, 0, 1, 0, 0, 0, 0, 0]],
    ['12:30 AM', '%I:%M %p', [1900, 0, 0, 0, 30, 0, 0, -1]],
    ['1/2/99', '%D', [1999, 0, 2, 0, 0, 0, 6, 1]],
    ['100%', '100%%', [1900, 0, 0, 0, 0, 0, 0, -1]],
  ])('%s is read by %s', (text, format, expected) => {
    expect(parseTime(text, format)).toEqual(expected);
  });

  it.each([
    ['2024-13-01', '%Y-%m-%d'],
    ['2024-01-01x', '%Y-%m-%d'],
    ['25:00', '%H:%M'],
    ['abc', '%Y'],
    ['Xyz 1', '%b %d'],
    ['1', '%Q'],
  ])('%s is not read by %s', (text, format) => {
    expect(parseTime(text, format)).toBeUndefined();
  });

  it('has ISO weeks that belong to the year of their Thursday', () => {
    const week = (text: string): string => formatTime(parseTime(text, '%Y-%m-%d') ?? [], '%G-W%V-%u', 'UTC');

    expect(['2021-01-03', '2021-01-04', '2020-12-31', '2024-12-30'].map(week)).toEqual([
      '2020-W53-7',
      '2021-W01-1',
      '2020-W53-4',
      '2025-W01-1',
    ]);
  });

  it('leaves directives it does not know', () => {
    expect(formatTime(brokenDownTime(0, 'UTC'), '%Q %%', 'UTC')).toBe('%Q %');
  });
});
