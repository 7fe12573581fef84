import type { Task } from '../hook/task.ts';
import { durationText } from '../lib/duration-text.ts';
import type { Queue } from '../queue/queue.ts';
import { reasonOf } from './run-reason.ts';

/** A queue whose first task failed and is tried again before the others have their turn. */
export interface QueueHold {
  readonly queue: string;
  readonly hook: string;
  /** What the task is about: `Added default/web`. */
  readonly event: string;
  /** The number of the next attempt, or of the one that runs. */
  readonly attempt: number;
  /** When the next attempt begins; absent while it runs. */
  readonly againAtMs?: number;
  /** Tasks behind it. */
  readonly waiting: number;
  /** The other hooks that have tasks behind it. */
  readonly heldHooks: readonly string[];
}

/** Who holds the queue, if its first task has failed. */
export function holdOf({ name: queue, tasks, delayedUntilMs }: Queue<Task>): QueueHold | undefined {
  const [head, ...others] = tasks;
  if (head === undefined || head.failures === 0) return undefined;
  const { hook, failures } = head;
  const held = new Set(others.map((task) => task.hook.name).filter((name) => name !== hook.name));
  return {
    queue,
    hook: hook.name,
    event: reasonOf(head),
    attempt: failures + 1,
    ...(delayedUntilMs !== undefined && { againAtMs: delayedUntilMs }),
    waiting: others.length,
    heldHooks: [...held],
  };
}

/** `again in 5s (attempt 2)`, or `runs again (attempt 2)`. */
export function againText({ attempt, againAtMs }: Pick<QueueHold, 'attempt' | 'againAtMs'>, nowMs: number): string {
  const when = againAtMs === undefined ? 'runs again' : `again in ${durationText(Math.max(0, againAtMs - nowMs))}`;
  return `${when} (attempt ${attempt})`;
}
