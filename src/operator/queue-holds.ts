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
  /** Since when it waits for the rate limit of its hook, in milliseconds since the epoch; absent unless it does. */
  readonly limitedSinceMs?: number;
  /** The number of tasks behind it. */
  readonly waiting: number;
  /** The names of other hooks with tasks behind it. */
  readonly heldHooks: readonly string[];
}

/**
 * The hold of a queue whose first task has failed, or has run or waited for its rate limit for 10 s while others wait;
 * else undefined.
 */
export function holdOf(queue: Queue<Task>, nowMs: number): QueueHold | undefined {
  const { delayedUntilMs: againAtMs, runningSinceMs, admittingSinceMs: limitedSinceMs } = queue;
  const [head, ...others] = queue.tasks;
  if (head === undefined) return undefined;
  const busySinceMs = runningSinceMs ?? limitedSinceMs;
  const isLong = busySinceMs !== undefined && nowMs - busySinceMs >= LONG_RUN_MS && others.length > 0;
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
    ...(limitedSinceMs !== undefined && { limitedSinceMs }),
    waiting: others.length,
    heldHooks: [...held],
  };
}

/** `again in 5s (attempt 2)`, `has run for 40s (attempt 1)`, or `has waited for executionMinInterval for 40s (attempt 1)`. */
export function againText(hold: HoldTimes, nowMs: number): string {
  return `${whenText(hold, nowMs)} (attempt ${hold.attempt})`;
}

type HoldTimes = Pick<QueueHold, 'attempt' | 'againAtMs' | 'runningSinceMs' | 'limitedSinceMs'>;

function whenText({ againAtMs, runningSinceMs, limitedSinceMs }: HoldTimes, nowMs: number): string {
  if (againAtMs !== undefined) return `again in ${durationText(Math.max(0, againAtMs - nowMs))}`;
  if (limitedSinceMs !== undefined)
    return `has waited for executionMinInterval for ${durationText(nowMs - limitedSinceMs)}`;
  return `has run for ${durationText(nowMs - (runningSinceMs ?? nowMs))}`;
}
