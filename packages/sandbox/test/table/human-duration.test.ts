import { describe, expect, it } from 'vitest';
import { ageOf, humanDuration } from '../../src/table/human-duration.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

describe('a time span', () => {
  it.each([
    [-5 * SECOND, '<invalid>'],
    [-1 * SECOND, '0s'],
    [0, '0s'],
    [119 * SECOND, '119s'],
    [120 * SECOND, '2m'],
    [121 * SECOND, '2m1s'],
    [599 * SECOND, '9m59s'],
    [600 * SECOND, '10m'],
    [179 * 60 * SECOND, '179m'],
    [3 * HOUR, '3h'],
    [3.5 * HOUR, '3h30m'],
    [9.9 * HOUR, '9h'],
    [47 * HOUR, '47h'],
    [48 * HOUR, '2d'],
    [50 * HOUR, '2d2h'],
    [8 * DAY, '8d'],
    [729 * DAY, '729d'],
    [730 * DAY, '2y'],
    [731 * DAY, '2y1d'],
    [9 * 365 * DAY + DAY, '9y'],
  ])('of %j ms is %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text);
  });
});

describe('an age', () => {
  it.each([
    ['2025-01-01T00:00:00Z', '10s'],
    [undefined, '<unknown>'],
    [null, '<unknown>'],
    ['yesterday', '<invalid>'],
  ])('of %j is %s', (moment, text) => {
    expect(ageOf(moment, Date.parse('2025-01-01T00:00:10Z'))).toBe(text);
  });
});
