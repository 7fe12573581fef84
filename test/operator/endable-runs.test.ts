import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
