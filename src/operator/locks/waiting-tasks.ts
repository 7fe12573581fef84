import type { Task } from '../../hook/task.ts';
import type { Metrics } from '../../metrics.ts';
import type { TaskQueue } from '../../queue/task-queue.ts';

/** The tasks in queues that did not get their lock. */
export interface WaitingTasks {
  /** The locks that tasks wait for, as `namespace/name`. */
  locks(): readonly string[];
  /** Has the task that waits longest for a lock try again at once; does nothing where none waits. */
  hasten(lock: string): void;
}

/** Looks for the tasks that wait for a lock in the queues of the operator. */
export function waitingTasks(queues: () => readonly TaskQueue<Task>[]): WaitingTasks {
  return {
    locks: () => [...new Set(waitingIn(queues()).map(({ lock }) => lock))],
    hasten(lock) {
      const waiting = waitingIn(queues()).filter((one) => one.lock === lock);
      const [first, ...others] = waiting;
      if (first === undefined) return;
      const longest = others.reduce((best, one) => (one.task.sinceMs < best.task.sinceMs ? one : best), first);
      longest.queue.hasten((task) => task === longest.task);
    },
  };
}

/** Counts the tasks that wait for a lock, for the metrics. */
export function countWaiting(queues: readonly TaskQueue<Task>[], { lockWaiting }: Pick<Metrics, 'lockWaiting'>): void {
  lockWaiting.clear();
  for (const { task, lock } of waitingIn(queues)) lockWaiting.of({ hook: task.hook.name, lock }).value += 1;
}

interface Waiting {
  readonly queue: TaskQueue<Task>;
  readonly task: Task;
  readonly lock: string;
}

function waitingIn(queues: readonly TaskQueue<Task>[]): readonly Waiting[] {
  return queues.flatMap((queue) =>
    queue.heads.flatMap(({ state, task }): Waiting | [] =>
      state === 'delayed' && task.lockedOut !== undefined ? { queue, task, lock: task.lockedOut } : [],
    ),
  );
}
