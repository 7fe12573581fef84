import { describe, expect, it } from 'vitest';
import { endRuns, interruptRuns, lastOutcome, retryRuns, startRuns } from '../../../src/sources/schedule/record.ts';
import { openRun, recordWith } from '../../support/schedule-records.ts';

describe('the record of a schedule', () => {
  it('shows a run from its tick to its end', () => {
    const ids = new Set(['r1']);
    const waiting = recordWith(openRun(1));
    const running = startRuns(waiting, [openRun(1, { attempts: 1 })], 10);
    const failed = retryRuns(running, ids);
    const again = startRuns(failed, [openRun(1, { attempts: 2 })], 20);
    const done = endRuns(again, { ids, outcome: 'succeeded', nowMs: 30 });

    expect([waiting, running, failed, again, done].map((record) => lastOutcome(record)?.outcome)).toEqual([
      'waiting',
      'running',
      'failed',
      'running',
      'succeeded',
    ]);
    expect(failed.open).toEqual([openRun(1, { attempts: 1, state: 'waiting' })]);
    expect(done).toMatchObject({ open: [], lastStartedMs: 20, lastSucceededMs: 30 });
  });

  it('does not take a failure for a success', () => {
    const record = endRuns(
      { ...recordWith(openRun(1)), lastSucceededMs: 5 },
      {
        ids: new Set(['r1']),
        outcome: 'failed',
        nowMs: 30,
      },
    );

    expect(record).toMatchObject({ lastSucceededMs: 5, last: { runId: 'r1', outcome: 'failed' } });
  });

  it('knows a run that it had forgotten when it begins', () => {
    const record = startRuns(recordWith(openRun(3)), [openRun(2, { attempts: 4 })], 10);

    expect(record.open).toEqual([openRun(2, { attempts: 4, state: 'running' }), openRun(3)]);
  });

  it('is the same whether a change is made once or twice', () => {
    const ids = new Set(['r1']);
    const started = startRuns(recordWith(openRun(1)), [openRun(1, { attempts: 1 })], 10);
    const ended = endRuns(started, { ids, outcome: 'succeeded', nowMs: 30 });

    expect(startRuns(started, [openRun(1, { attempts: 1 })], 10)).toEqual(started);
    expect(endRuns(ended, { ids, outcome: 'succeeded', nowMs: 30 })).toEqual(ended);
  });

  it('marks what its operator leaves behind, and nothing else', () => {
    const record = recordWith(openRun(1, { state: 'running', attempts: 1 }), openRun(2, { holder: 'another' }));

    const interrupted = interruptRuns(record, ({ holder }) => holder === 'me');

    expect(interrupted.open.map(({ state }) => state)).toEqual(['interrupted', 'waiting']);
    expect(interrupted.last).toEqual({ runId: 'r1', outcome: 'interrupted' });
    expect(interruptRuns(recordWith(), () => true)).toEqual(recordWith());
  });
});
