import { describe, expect, it } from 'vitest';
import { answersText, costsOf } from '../../../bench/plots/answers.ts';
import type { Measure } from '../../../bench/row.ts';

const measure = (name: string, hooklet: number): Measure => ({ name, unit: 'us', hooklet });
const results = {
  shards: [
    measure('1 with --shards: the same, where events wait', 100),
    measure('4 with --shards: the same, where events wait', 55),
  ],
  'queues-shell': [measure('runs', 500)],
  workers: [measure('CPU of the operator for a run, limit one of its own', 1.2)],
};
const flat = { base: 0, each: 0 };
const slopes = {
  filteredMb: { base: 80, each: 5e-4 },
  fullMb: { base: 80, each: 2.5e-3 },
  listSeconds: flat,
  watchMb: flat,
  hookSeconds: flat,
  eventUs: { base: 500, each: 4 },
};

describe('the answers to growth', () => {
  it('cost what an event of another replica does when one of 4 is of the own: 40 us of 55 where an own one takes 100', () => {
    expect(costsOf(results)).toEqual({ foreignUs: 40, ownRuns: 500, remoteMs: 1.2 });
  });

  it('are not told while a row has not been measured', () => {
    expect(costsOf({ ...results, workers: [] })).toBeUndefined();
  });

  it('divide events, objects and runs, and leave each replica what it drops of others', () => {
    const text = answersText(slopes, { foreignUs: 40, ownRuns: 500, remoteMs: 1.2 });
    expect(text.split('\n').slice(2)).toEqual([
      '| events | 4.17 | 1.09 | 0.58 | 0.32 |',
      '| memory, full objects | 0.65 | 0.18 | 0.10 | 0.06 |',
      '| memory, filter results | 0.14 | 0.05 | 0.04 | 0.03 |',
      '| a run of a shell hook for each event | 3.33 | 0.83 | 0.42 | 0.21 |',
      '| the same by workers, the operator alone | 2.00 |  |  |  |',
    ]);
  });
});
