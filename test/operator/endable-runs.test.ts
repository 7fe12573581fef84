import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { nextTurn } from '../../src/lib/turn.ts';
import { EndableRuns, isForRun } from '../../src/operator/runs/endable-runs.ts';
import { hookWith, kubernetesBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const hook = hookWith('hook.sh');
const tick = tickOf(scheduleBinding('s'), { runId: 'r1' });
const task = taskOf(hook, tick);

describe('EndableRuns', () => {
  it('ends the run that is meant, and no other', async () => {
    const runs = new EndableRuns();
    const other = taskOf(hook, tickOf(scheduleBinding('s'), { runId: 'r2' }));

    await runs.during(task, async (stop) =>
      runs.during(other, async (otherStop) => {
        runs.replace(new Set(['r1', 'unknown']));

        expect([stop.aborted, otherStop.aborted]).toEqual([true, false]);
      }),
    );
  });

  it('ends a run 10 s after its hook has gone, however often the folder is looked at, and no other', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const runs = new EndableRuns();
    const stays = taskOf(hookWith('stays.sh'), eventOf(kubernetesBinding('pods'), 'web'));
    const told: string[] = [];
    const look = (): void =>
      runs.endGone(
        (one) => one === hook,
        10_000,
        ({ name }) => told.push(name),
      );

    await runs.during(task, async (stop) =>
      runs.during(stays, async (otherStop) => {
        look();
        vi.advanceTimersByTime(9999);
        look();
        expect(stop.aborted).toBe(false);
        vi.advanceTimersByTime(1);

        expect([stop.aborted, otherStop.aborted, told]).toEqual([true, false, ['hook.sh']]);
      }),
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are quiet when none that is meant goes on, nor one that began while it was waited for', async () => {
    const runs = new EndableRuns();
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const first = runs.during(task, async () => ends[0].promise);
    let isQuiet = false;
    const quiet = runs.quiet(() => true, new AbortController().signal).then(() => (isQuiet = true));
    const second = runs.during(task, async () => ends[1].promise);

    ends[0].resolve();
    await first;
    await nextTurn();
    expect(isQuiet).toBe(false);
    ends[1].resolve();
    await Promise.all([second, quiet]);
  });

  it('are ended by the signal of those who wait for quiet: hooks and the work on their output', async () => {
    const runs = new EndableRuns();
    const limit = new AbortController();
    const run = runs.during(task, async (_stop, cut) => once(cut, 'abort'));
    const other = Promise.withResolvers<void>();
    const rest = runs.during(taskOf(hookWith('stays.sh'), tick), async () => other.promise);

    const quiet = runs.quiet((one) => one === task, limit.signal);
    limit.abort();
    await Promise.all([run, quiet]);
    other.resolve();
    await rest;
  });

  it('leaves no timer for a run that ended by itself after its hook had gone', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const runs = new EndableRuns();
    await runs.during(task, async () =>
      runs.endGone(
        () => true,
        10_000,
        () => {},
      ),
    );

    expect(vi.getTimerCount()).toBe(0);
  });

  it('forgets a run that is over, also a failed one', async () => {
    const runs = new EndableRuns();
    let stopped: AbortSignal | undefined;
    const failing = runs.during(task, async (stop) => {
      stopped = stop;
      throw new Error('failed');
    });

    await expect(failing).rejects.toThrow('failed');
    runs.replace(new Set(['r1']));

    expect(stopped?.aborted).toBe(false);
  });
});

describe('isForRun', () => {
  it('knows the runs of a task', () => {
    const event = taskOf(hook, eventOf(kubernetesBinding('pods'), 'web'));

    expect(isForRun(task, new Set(['r1']))).toBe(true);
    expect(isForRun(task, new Set(['r2']))).toBe(false);
    expect(isForRun(event, new Set(['r1']))).toBe(false);
  });
});
