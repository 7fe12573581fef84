import type { Task } from '../hook/task.ts';
import { durationText } from '../lib/duration-text.ts';
import type { Queue } from '../queue/queue.ts';
import { reasonOf } from '../run/run-reason.ts';

/** A run that takes this long while other tasks wait for it holds its queue. */
export const LONG_RUN_MS = 10_000;

/** A queue that its first task holds up: the task failed and is tried again, or its run takes long. */
export interface QueueHold {
  readonly queue: string;
  readonly hook: string;
  /** Why the task is run: `Added default/web`. */
  readonly event: string;
  /** The number of the running or next attempt, from 1. */
  readonly attempt: number;
  /** When the next attempt begins, in milliseconds since the epoch; absent while one runs. */
  readonly againAtMs?: number;
  /** Since when an attempt runs, in milliseconds since the epoch; absent while none does. */
  readonly runningSinceMs?: number;
  /** The number of tasks behind it. */
  readonly waiting: number;
  /** The names of other hooks with tasks behind it. */
  readonly heldHooks: readonly string[];
}

/** The hold of a queue whose first task has failed, or has run for 10 s while others wait; else undefined. */
export function holdOf(queue: Queue<Task>, nowMs: number): QueueHold | undefined {
  const { delayedUntilMs: againAtMs, runningSinceMs } = queue;
  const [head, ...others] = queue.tasks;
  if (head === undefined) return undefined;
  const isLong = runningSinceMs !== undefined && nowMs - runningSinceMs >= LONG_RUN_MS && others.length > 0;
  if (head.failures === 0 && !isLong) return undefined;
  const { hook, failures } = head;
  const held = new Set(others.map((task) => task.hook.name).filter((name) => name !== hook.name));
  return {
    queue: queue.name,
    hook: hook.name,
    event: reasonOf(head),
    attempt: failures + 1,
    ...(againAtMs !== undefined && { againAtMs }),
    ...(runningSinceMs !== undefined && { runningSinceMs }),
    waiting: others.length,
    heldHooks: [...held],
  };
}

/** `again in 5s (attempt 2)`, or `has run for 40s (attempt 1)`. */
export function againText(hold: Pick<QueueHold, 'attempt' | 'againAtMs' | 'runningSinceMs'>, nowMs: number): string {
  const { attempt, againAtMs, runningSinceMs = nowMs } = hold;
  const when =
    againAtMs === undefined
      ? `has run for ${durationText(nowMs - runningSinceMs)}`
      : `again in ${durationText(Math.max(0, againAtMs - nowMs))}`;
  return `${when} (attempt ${attempt})`;
}
