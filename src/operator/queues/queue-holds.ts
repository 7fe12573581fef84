import type { Task } from '../../hook/task.ts';
import { durationText } from '../../lib/duration-text.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Head, TaskQueue } from '../../queue/task-queue.ts';
import { reasonOf } from '../../run/run-reason.ts';
import { limitedBy } from './limited-by.ts';

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
  /** Since when it waits until it may run, in milliseconds since the epoch; absent unless it does. */
  readonly limitedSinceMs?: number;
  /** What it waits for then; absent: the rate limit of its hook. */
  readonly limitedBy?: string;
  /** The number of tasks behind it. */
  readonly waiting: number;
  /** The names of other hooks with tasks behind it. */
  readonly heldHooks: readonly string[];
  /** The number of tasks of the queue that failed and are tried again. Default 0. */
  readonly failing?: number;
}

/**
 * What holds up a queue: a task that failed, or one that has run or waited until it may run for 10 s while others wait;
 * of several, one that others wait for. Undefined where nothing does.
 */
export function holdOf(queue: TaskQueue<Task>, nowMs: number): QueueHold | undefined {
  const holding = queue.heads.filter((head) => isHolding(head, nowMs));
  const head = holding.find(({ behind }) => behind.length > 0) ?? holding[0];
  if (head === undefined) return undefined;
  const failing = holding.filter(({ task }) => task.failures > 0).length;
  return { ...holdBy(head, queue.name), ...(failing > 1 && { failing }) };
}

/** What holds up the queue of the task that `isWanted`, or that task itself once it was tried; undefined if nothing. */
export function holdOfTask(queue: TaskQueue<Task>, isWanted: (task: Task) => boolean): QueueHold | undefined {
  const own = queue.heads.find(({ state, task }) => state === 'delayed' && isWanted(task));
  return own === undefined ? holdOf(queue, Date.now()) : holdBy(own, queue.name);
}

function isHolding(head: Head<Task>, nowMs: number): boolean {
  const isLong = head.state !== 'delayed' && nowMs - head.sinceMs >= LONG_RUN_MS && head.behind.length > 0;
  return head.task.failures > 0 || isLong;
}

function holdBy(head: Head<Task>, queue: string): QueueHold {
  const { hook, failures } = head.task;
  const held = new Set(head.behind.map((task) => task.hook.name).filter((name) => name !== hook.name));
  return {
    queue,
    hook: hook.name,
    event: reasonOf(head.task),
    attempt: failures + 1,
    ...timesOf(head),
    waiting: head.behind.length,
    heldHooks: [...held],
  };
}

function timesOf(head: Head<Task>): Omit<HoldTimes, 'attempt'> {
  switch (head.state) {
    case 'delayed':
      return { againAtMs: head.untilMs };
    case 'running':
      return { runningSinceMs: head.sinceMs };
    case 'admitting': {
      const by = limitedBy(head.task.hook);
      return { limitedSinceMs: head.sinceMs, ...(by !== undefined && { limitedBy: by }) };
    }
    default:
      return unreachable(head);
  }
}

/** `again in 5s (attempt 2)`, `has run for 40s (attempt 1)`, or `has waited for executionMinInterval for 40s (attempt 1)`. */
export function againText(hold: HoldTimes, nowMs: number): string {
  return `${whenText(hold, nowMs)} (attempt ${hold.attempt})`;
}

type HoldTimes = Pick<QueueHold, 'attempt' | 'againAtMs' | 'runningSinceMs' | 'limitedSinceMs' | 'limitedBy'>;

function whenText({ againAtMs, runningSinceMs, limitedSinceMs, limitedBy: by }: HoldTimes, nowMs: number): string {
  if (againAtMs !== undefined) return `again in ${durationText(Math.max(0, againAtMs - nowMs))}`;
  if (limitedSinceMs !== undefined)
    return `has waited for ${by ?? 'executionMinInterval'} for ${durationText(nowMs - limitedSinceMs)}`;
  return `has run for ${durationText(nowMs - (runningSinceMs ?? nowMs))}`;
}
