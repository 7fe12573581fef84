import type { Task } from '../../hook/task.ts';
import type { Metrics } from '../../metrics.ts';
import type { TaskQueue } from '../../queue/task-queue.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { WaitingTask } from '../../units/synchronizations.ts';

/** The tasks that did not get their lock. */
export interface WaitingTasks {
  /** The locks that tasks wait for, as `namespace/name`. */
  locks(): readonly string[];
  /** Has the task that waits longest for a lock try again at once; does nothing where none waits. */
  hasten(lock: string): void;
}

/** Where tasks wait: in queues, and Synchronizations outside of them. */
export interface WaitingPlaces {
  readonly queues: () => readonly TaskQueue<Task>[];
  readonly units: () => readonly Pick<HookUnit, 'synchronizations'>[];
}

/** Looks for the tasks of the operator that wait for a lock. */
export function waitingTasks(places: WaitingPlaces): WaitingTasks {
  return {
    locks: () => [...new Set(waitingIn(places).map(({ lock }) => lock))],
    hasten(lock) {
      const waiting = waitingIn(places).filter((one) => one.lock === lock);
      const [first, ...others] = waiting;
      if (first === undefined) return;
      others.reduce((best, one) => (one.task.sinceMs < best.task.sinceMs ? one : best), first).hasten();
    },
  };
}

/** Counts the tasks that wait for a lock, for the metrics. */
export function countWaiting(places: WaitingPlaces, { lockWaiting }: Pick<Metrics, 'lockWaiting'>): void {
  lockWaiting.clear();
  for (const { task, lock } of waitingIn(places)) lockWaiting.of({ hook: task.hook.name, lock }).value += 1;
}

interface LockedTask extends WaitingTask {
  readonly lock: string;
}

function waitingIn({ queues, units }: WaitingPlaces): readonly LockedTask[] {
  const inQueues = queues().flatMap((queue) =>
    queue.heads.flatMap(({ state, task }): WaitingTask | [] =>
      state === 'delayed' ? { task, hasten: () => queue.hasten((one) => one === task) } : [],
    ),
  );
  const outside = units().flatMap(({ synchronizations }) => synchronizations.waiting ?? []);
  return [...inQueues, ...outside].flatMap((one): LockedTask | [] =>
    one.task.lockedOut === undefined ? [] : { ...one, lock: one.task.lockedOut },
  );
}
