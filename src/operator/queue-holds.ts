import type { Task } from '../hook/task.ts';
import { durationText } from '../lib/duration-text.ts';
import type { Queue } from '../queue/queue.ts';
import { reasonOf } from '../run/run-reason.ts';

/** A run that goes on for so long, while others wait for it, holds its queue. */
export const LONG_RUN_MS = 10_000;

/** A queue whose first task keeps the others from their turn: it failed and is tried again, or it runs for long. */
export interface QueueHold {
  readonly queue: string;
  readonly hook: string;
  /** What the task is about: `Added default/web`. */
  readonly event: string;
  /** The number of the next attempt, or of the one that runs; 1 where none has failed. */
  readonly attempt: number;
  /** When the next attempt begins; absent while one runs. */
  readonly againAtMs?: number;
  /** Since when an attempt runs. */
  readonly runningSinceMs?: number;
  /** Tasks behind it. */
  readonly waiting: number;
  /** The other hooks that have tasks behind it. */
  readonly heldHooks: readonly string[];
}

/** Who holds the queue, if its first task has failed, or has run for 10 s while others wait. */
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
