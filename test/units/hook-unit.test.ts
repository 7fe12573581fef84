import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Hook } from '../../src/hook/binding.ts';
import type { Task } from '../../src/hook/task.ts';
import { HookUnit } from '../../src/units/hook-unit.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { describeTask, unitRig, type UnitRig } from '../support/unit-rig.ts';
import { withoutSchedules } from '../support/idle-schedule.ts';

const pods = kubernetesBinding('pods', { queue: 'other' });
const maps = kubernetesBinding('maps');
const nodes = kubernetesBinding('nodes', { executeHookOnSynchronization: false });
const minutely = scheduleBinding('minutely', { queue: 'clock' });

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

async function unitWith(bindings: Hook['bindings'], body: (rig: UnitRig) => void | Promise<void>): Promise<void> {
  const rig = unitRig('hook.sh', bindings);
  await body(rig);
  await rig.stop();
}

const only = (tasks: readonly Task[]): Task => {
  const [task] = tasks;
  if (task === undefined || tasks.length > 1)
    throw new Error(`expected one task, got ${tasks.map(describeTask).join(', ')}`);
  return task;
};

describe('the Synchronizations of a hook', () => {
  it('are queued in main, in the order of the config, whatever queue their bindings have', async () => {
    await unitWith([pods, maps], ({ enable, queued }) => {
      enable();

      expect(queued()).toEqual(['main: Synchronization pods', 'main: Synchronization maps']);
    });
  });

  it('hold back the events of their binding alone until they succeeded', async () => {
    await unitWith([pods, maps], ({ unit, enable, event, queued, takeTasks }) => {
      enable();
      const [first] = takeTasks();
      if (first === undefined) throw new Error('no Synchronization');
      event(pods, 'before');
      unit.begin(first);
      event(pods, 'during');
      event(maps, 'other');
      expect(queued()).toEqual([]);

      unit.finish(first);
      event(pods, 'after');

      expect(queued()).toEqual(['other: pods/during', 'other: pods/after']);
    });
  });

  it('are tried again after a delay, and read the state anew then', async () => {
    await unitWith([pods], async ({ unit, enable, event, queued, takeTasks }) => {
      enable();
      const first = only(takeTasks());
      unit.begin(first);
      event(pods, 'part of the second state');
      unit.retryLater(first, 5000);
      await vi.advanceTimersByTimeAsync(4999);
      expect(queued()).toEqual([]);

      await vi.advanceTimersByTimeAsync(1);
      const second = only(takeTasks());
      unit.begin(second);
      event(pods, 'later');
      unit.finish(second);

      expect(second.queuedAtMs).toBe(Date.now());
      expect(queued()).toEqual(['other: pods/later']);
    });
  });

  it('wait for an earlier one that failed, and follow it in order', async () => {
    await unitWith([pods, maps], async ({ unit, enable, queued, takeTasks }) => {
      enable();
      const [first, second] = takeTasks();
      if (first === undefined || second === undefined) throw new Error('no Synchronizations');
      expect(unit.defer(first)).toBe(false);
      unit.retryLater(first, 5000);

      expect(unit.defer(second)).toBe(true);
      await vi.advanceTimersByTimeAsync(5000);
      expect(only(takeTasks())).toEqual({ ...first, queuedAtMs: Date.now() });
      unit.finish(first);

      expect(queued()).toEqual(['main: Synchronization maps']);
      expect(unit.defer(second)).toBe(false);
    });
  });

  it('of one group that were combined open their bindings together', async () => {
    await unitWith([pods, maps], ({ unit, enable, event, queued, takeTasks, told }) => {
      enable();
      const [first, second] = takeTasks();
      if (first === undefined || second === undefined) throw new Error('no Synchronizations');
      const combined = { ...first, triggers: [first.triggers[0], second.triggers[0]] } as const;
      unit.begin(combined);
      event(pods, 'a');
      event(maps, 'b');
      unit.finish(combined);

      expect(queued()).toEqual(['other: pods/a', 'main: maps/b']);
      expect(told).toContain('enabled');
    });
  });

  it('are left out where executeHookOnSynchronization is false: events flow from the turn of the hook on', async () => {
    await unitWith([nodes], ({ enable, event, queued, told }) => {
      event(nodes, 'part of the first list');
      enable();
      event(nodes, 'new');

      expect(queued()).toEqual(['main: nodes/new']);
      expect(told).toEqual(['enabled']);
    });
  });
});

describe('the schedules of a hook', () => {
  it('start when all its Synchronizations are done', async () => {
    await unitWith([minutely, pods, maps], async ({ unit, enable, schedules, queued, takeTasks }) => {
      enable();
      const [first, second] = takeTasks();
      if (first === undefined || second === undefined) throw new Error('no Synchronizations');
      unit.finish(first);
      await vi.advanceTimersByTimeAsync(0);
      expect(schedules).toEqual([]);

      unit.finish(second);
      await vi.advanceTimersByTimeAsync(0);
      schedules[0]?.emit(tickOf(minutely));

      expect(schedules[0]?.bindings).toEqual([minutely]);
      expect(queued()).toEqual(['clock: minutely']);
    });
  });

  it('start at its turn where there is nothing to synchronize, and not before', async () => {
    await unitWith([onStartupBinding, minutely], async ({ unit, enable, schedules }) => {
      await vi.advanceTimersByTimeAsync(0);
      expect(schedules).toEqual([]);

      enable();
      await vi.advanceTimersByTimeAsync(0);

      expect(schedules).toHaveLength(1);
      expect(unit.isEnabled).toBe(true);
    });
  });
});

describe('the state of a hook', () => {
  it('is synced when every binding has its first list', async () => {
    await unitWith([pods, maps], async ({ unit, sync }) => {
      sync(pods);
      expect(unit.isSynced).toBe(false);

      sync(maps);

      expect(unit.isSynced).toBe(true);
      await unit.synced;
    });
  });

  it('is settled by a problem, which is told', async () => {
    await unitWith([pods], async ({ unit, problem, told }) => {
      problem(pods, 'forbidden');

      await unit.settled;
      expect(unit.isSynced).toBe(false);
      expect(told).toEqual(['pods: forbidden']);
    });
  });

  it('is settled when the unit has ended, so that nobody waits for it', async () => {
    const { unit, stop } = unitRig('hook.sh', [pods]);

    await stop();

    await unit.settled;
    expect(unit.isSynced).toBe(false);
  });

  it('is what its monitors show', async () => {
    await unitWith([pods, maps], ({ unit, setSnapshot }) => {
      setSnapshot(pods, [{ namespace: 'default', name: 'web' }]);

      expect(unit.objects(pods)).toEqual([{ namespace: 'default', name: 'web' }]);
      expect(unit.objects(kubernetesBinding('of another hook'))).toEqual([]);
      expect(unit.statuses().map(([{ name }, { isSynced }]) => [name, isSynced])).toEqual([
        ['pods', true],
        ['maps', true],
      ]);
    });
  });
});

it('a unit that is started after the end has come ends at once', async () => {
  const unit = new HookUnit(hookWith('hook.sh', [pods]), {
    emit: () => {},
    requeue: () => {},
    createMonitor: () => ({
      run: async () => {
        throw new Error('started');
      },
      snapshot: () => [],
      status: () => ({ isSynced: false }),
    }),
    ...withoutSchedules,
    now: Date.now,
    onEnabled: () => {},
    onProblem: () => {},
  });

  await expect(unit.run(AbortSignal.abort())).resolves.toBeUndefined();
});
