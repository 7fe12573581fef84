import { describe, expect, it } from 'vitest';
import { baselineOf, regressionsOf } from '../../bench/guard.ts';
import type { Measure } from '../../bench/row.ts';
import type { Result } from '../../bench/table.ts';

function result(hooklet: number, changes: Partial<Measure> = {}): Result {
  return { row: 'event', measure: { name: 'p50', unit: 'ms', hooklet, limit: 10, ...changes } };
}

const most = { type: 'ratio', most: 1.25 } as const;
const least = { type: 'ratio', least: 0.8 } as const;

describe('the guard', () => {
  it('lets pass what is up to 1.25 times the ratio of the baseline', () => {
    expect(regressionsOf([result(12.5, { goal: most })], { 'event/p50': 1 })).toEqual([]);
  });

  it('names what is worse', () => {
    expect(regressionsOf([result(12.6, { goal: most })], { 'event/p50': 1 })).toEqual([
      { key: 'event/p50', row: 'event', ratio: 1.26, baseline: 1 },
    ]);
  });

  it('takes less for worse where more is wanted', () => {
    expect(regressionsOf([result(20, { goal: least })], { 'event/p50': 1 })).toEqual([]);
    expect(regressionsOf([result(7, { goal: least })], { 'event/p50': 1 })).toHaveLength(1);
  });

  it('does not judge what the baseline does not name, nor what has no limit', () => {
    const unlimited: Result = { row: 'event', measure: { name: 'p50', unit: 'ms', hooklet: 99 } };

    expect(regressionsOf([result(99)], {})).toEqual([]);
    expect(regressionsOf([unlimited], { 'event/p50': 1 })).toEqual([]);
  });
});

describe('a new baseline', () => {
  it('has the ratios of now, and keeps those of rows that were not measured', () => {
    expect(baselineOf([result(12.345)], { 'startup/time': 4, 'event/p50': 9 })).toEqual({
      'event/p50': 1.23,
      'startup/time': 4,
    });
  });

  it('does not hold what is rare', () => {
    expect(baselineOf([result(12, { name: 'p99' })], {})).toEqual({});
  });
});
