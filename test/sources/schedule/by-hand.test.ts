import { describe, expect, it } from 'vitest';
import { resumeRuns, triggerRun } from '../../../src/sources/schedule/by-hand.ts';
import { openRun, recordWith } from '../../support/schedule-records.ts';

const open = [
  openRun(1, { state: 'running' }),
  openRun(2),
  openRun(3, { state: 'interrupted' }),
  openRun(4, { holder: 'another', state: 'running' }),
];

describe('a run that is asked for', () => {
  it('comes after those that have not ended', () => {
    const { record } = triggerRun(recordWith(...open), openRun(5), 'queue');

    expect(record.open).toEqual([...open, openRun(5)]);
  });

  it('replaces what goes on in this process, where that is wanted', () => {
    expect(triggerRun(recordWith(...open), openRun(5), 'queue').result).toEqual([]);
    expect(triggerRun(recordWith(...open), openRun(5), 'skip').result).toEqual([]);
    expect(triggerRun(recordWith(...open), openRun(5), 'replace').result).toEqual(open.slice(0, 2));
  });

  it('is refused while 100 runs have not ended, unless it replaces them', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => openRun(index));
    const record = recordWith(...hundred);

    expect(triggerRun(record, openRun(100), 'queue')).toEqual({ record, result: 'too-many' });
    expect(triggerRun(record, openRun(100), 'replace').result).toEqual(hundred);
    expect(triggerRun(recordWith(...hundred.slice(1)), openRun(100), 'queue').result).toEqual([]);
  });

  it('is there once when it is written again, and does not replace itself', () => {
    const { record } = triggerRun(recordWith(), openRun(5), 'replace');
    const again = triggerRun(record, openRun(5), 'replace');

    expect(again).toEqual({ record, result: [] });
  });
});

describe('a schedule that is resumed', () => {
  it('makes up for nothing that came or was interrupted before', () => {
    const resumed = resumeRuns({ ...recordWith(...open), isSuspended: true, coveredUntilMs: 10 }, 'me', 50);

    expect(resumed).toMatchObject({ isSuspended: false, coveredUntilMs: 50 });
    expect(resumed.open).toEqual(open.slice(0, 2));
  });

  it('covers no less than before when the clock was moved back', () => {
    expect(resumeRuns({ ...recordWith(), isSuspended: true, coveredUntilMs: 90 }, 'me', 50).coveredUntilMs).toBe(90);
  });

  it('is as it was when it was not suspended', () => {
    const record = recordWith(...open);

    expect(resumeRuns(record, 'me', 50)).toBe(record);
  });
});
