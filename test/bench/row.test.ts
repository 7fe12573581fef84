import { describe, expect, it } from 'vitest';
import { isReached, ratioOf, type Goal, type Measure } from '../../bench/row.ts';

function measure(changes: Partial<Measure>): Measure {
  return { name: 'p50', unit: 'ms', hooklet: 12, ...changes };
}

describe('a measure', () => {
  it('has the ratio of hooklet to the limit', () => {
    expect(ratioOf(measure({ limit: 8 }))).toBe(1.5);
  });

  it('has no ratio without a limit', () => {
    expect(ratioOf(measure({}))).toBeUndefined();
  });

  it.each<[Goal, boolean]>([
    [{ type: 'ratio', most: 1.5 }, true],
    [{ type: 'ratio', most: 1.4 }, false],
    [{ type: 'ratio', least: 1.5 }, true],
    [{ type: 'ratio', least: 1.6 }, false],
    [{ type: 'value', most: 12 }, true],
    [{ type: 'value', most: 11 }, false],
    [{ type: 'value', least: 13 }, false],
  ])('of 12 with the limit 8 reaches %j: %s', (goal, reached) => {
    expect(isReached(measure({ limit: 8, goal }))).toBe(reached);
  });

  it('is not judged without a goal, nor by a ratio that it has not', () => {
    expect(isReached(measure({ limit: 8 }))).toBeUndefined();
    expect(isReached(measure({ goal: { type: 'ratio', most: 1 } }))).toBeUndefined();
  });
});
