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

/** The verdict on `event/p50` after measurements of 10 times these ratios; undefined where it could not be measured. */
function verdictOf(values: readonly (number | undefined)[], goal: Measure['goal'] = most) {
  const rounds = values.map((value) => ({ rows: ROWS, results: value === undefined ? [] : [result(value, { goal })] }));
  return judge(rounds, { 'event/p50': 1 })[0];
}

describe('the guard', () => {
  it('lets pass what is up to 1.25 times the ratio of the baseline', () => {
    expect(verdictOf([12.5])).toMatchObject({ isWorse: false });
    expect(verdictOf([12.6])).toMatchObject({ isWorse: true });
  });

  it('takes less for worse where more is wanted', () => {
    expect(verdictOf([20], least)).toMatchObject({ isWorse: false });
    expect(verdictOf([7], least)).toMatchObject({ isWorse: true });
  });

  it.each([
    { values: [10], isWorse: false, isSettled: false },
    { values: [20], isWorse: true, isSettled: false },
    { values: [10, 11], isWorse: false, isSettled: true },
    { values: [20, 14], isWorse: true, isSettled: true },
    { values: [20, 10], isWorse: true, isSettled: false },
    { values: [20, 10, 11], isWorse: false, isSettled: true },
    { values: [10, 20, 14], isWorse: true, isSettled: true },
    { values: [20, 14, 10], isWorse: true, isSettled: true },
    { values: [undefined], isWorse: true, isSettled: false },
    { values: [undefined, 10, 11], isWorse: false, isSettled: true },
    { values: [10, undefined, undefined], isWorse: true, isSettled: true },
  ])('judges $values by the median, and asks for more until two agree', ({ values, isWorse, isSettled }) => {
    expect(verdictOf(values)).toMatchObject({ key: 'event/p50', row: 'event', isWorse, isSettled });
  });

  it('says what was measured, and the median', () => {
    expect(verdictOf([20, 10, 14])?.said).toBe(
      'worse: event/p50: 2.00, 1.00, 1.40 times the limit, where 1 is held: median 1.40 times as bad',
    );
    expect(verdictOf([10, undefined, undefined])?.said).toBe(
      'worse: event/p50: 1.00, not measured, not measured times the limit, where 1 is held: median not measured',
    );
  });

  it('judges a ratio by the rounds in which its row was measured', () => {
    const rounds = [
      { rows: [...ROWS, { name: 'event-warm' }], results: [result(10)] },
      { rows: [{ name: 'event-warm' }], results: [] },
    ];

    expect(judge(rounds, { 'event/p50': 1 })[0]).toMatchObject({ isWorse: false, isSettled: false });
  });

  it('does not judge what the baseline does not name, nor rows that nobody asked for', () => {
    expect(judge([{ rows: ROWS, results: [result(99)] }], {})).toEqual([]);
    expect(judge([{ rows: [{ name: 'event-warm' }], results: [] }], { 'event/p50': 1 })).toEqual([]);
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
