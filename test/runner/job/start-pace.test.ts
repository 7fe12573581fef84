import { describe, expect, it } from 'vitest';
import { HookFailedError } from '../../../src/errors.ts';
import type { Execution } from '../../../src/runner/executor.ts';
import { StartPace } from '../../../src/runner/job/start-pace.ts';
import { driveTime, pass } from '../../support/job-executor-rig.ts';

const NEVER = new AbortController().signal;
const failed = (by: 'environment' | 'hook'): Execution => ({
  type: 'failed',
  by,
  error: new HookFailedError('it failed'),
});

/** How long the next Job of the hook waits, in steps of 1 s. */
async function waitOf(pace: StartPace, hook: string): Promise<number> {
  let isOver = false;
  const waiting = pace.wait(hook, NEVER).then(() => (isOver = true));
  await pass(0);
  let seconds = 0;
  for (; !isOver; seconds += 1) await pass(1000);
  await waiting;
  return seconds;
}

describe('the pace of Jobs', () => {
  it('after Jobs that came to nothing is 2 s, twice as long after each, and 60 s at most', async () => {
    driveTime();
    const pace = new StartPace(() => performance.now());
    const waits: number[] = [];

    for (let count = 0; count < 7; count += 1) {
      waits.push(await waitOf(pace, 'heavy.sh'));
      pace.ended('heavy.sh', failed('environment'), NEVER);
    }

    expect(waits).toEqual([0, 2, 4, 8, 16, 32, 60]);
    expect(await waitOf(pace, 'other.sh')).toBe(0);
  });

  it('is free again after a run whose hook has ended, well or not', async () => {
    driveTime();
    const pace = new StartPace(() => performance.now());

    pace.ended('heavy.sh', failed('environment'), NEVER);
    pace.ended('heavy.sh', failed('hook'), NEVER);

    expect(await waitOf(pace, 'heavy.sh')).toBe(0);
  });

  it('does not count a run that was ended, and its wait ends with the run', async () => {
    driveTime();
    const pace = new StartPace(() => performance.now());
    const ended = AbortSignal.abort(new Error('it was replaced'));

    pace.ended('heavy.sh', failed('environment'), ended);
    expect(await waitOf(pace, 'heavy.sh')).toBe(0);
    pace.ended('heavy.sh', failed('environment'), NEVER);

    await expect(pace.wait('heavy.sh', ended)).rejects.toThrow('it was replaced');
  });
});
