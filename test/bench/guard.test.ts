import { describe, expect, it } from 'vitest';
import { baselineOf, judge } from '../../bench/guard.ts';
import type { Measure } from '../../bench/row.ts';
import type { Result } from '../../bench/table.ts';

function result(hooklet: number, changes: Partial<Measure> = {}): Result {
  return { row: 'event', measure: { name: 'p50', unit: 'ms', hooklet, limit: 10, ...changes } };
}

const most = { type: 'ratio', most: 1.25 } as const;
const least = { type: 'ratio', least: 0.8 } as const;

const ROWS = [{ name: 'event' }];

describe('the guard', () => {
  it('lets pass what is up to 1.25 times the ratio of the baseline', () => {
    expect(judge(ROWS, [result(12.5, { goal: most })], { 'event/p50': 1 })).toEqual([]);
  });

  it('names what is worse', () => {
    const [regression, ...others] = judge(ROWS, [result(12.6, { goal: most })], { 'event/p50': 1 });

    expect(regression).toMatchObject({ key: 'event/p50', row: 'event' });
    expect(regression?.said).toContain('1.26 times the limit, where 1 is held');
    expect(others).toEqual([]);
  });

  it('takes less for worse where more is wanted', () => {
    expect(judge(ROWS, [result(20, { goal: least })], { 'event/p50': 1 })).toEqual([]);
    expect(judge(ROWS, [result(7, { goal: least })], { 'event/p50': 1 })).toHaveLength(1);
  });

  it('does not judge what the baseline does not name, nor rows that nobody asked for', () => {
    expect(judge(ROWS, [result(99)], {})).toEqual([]);
    expect(judge([{ name: 'event-warm' }], [], { 'event/p50': 1 })).toEqual([]);
  });

  it('names what is held and was not measured', () => {
    expect(judge(ROWS, [], { 'event/p50': 1 })).toEqual([
      { key: 'event/p50', row: 'event', said: 'event/p50 was not measured' },
    ]);
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
