import type { Hook } from './binding.ts';
import type { QueuedTrigger, Trigger } from './trigger.ts';

/** A waiting run: a hook and what triggered it. Plain data; `combineTasks` merges several into one. */
export interface Task {
  readonly hook: Hook;
  readonly triggers: readonly [Trigger, ...Trigger[]];
  readonly allowFailure: boolean;
  /** When the oldest trigger was queued or, after a failure, when the task failed; milliseconds since the epoch. */
  readonly queuedAtMs: number;
  /** Failed attempts so far; a merged task keeps the count of its first task. */
  readonly failures: number;
  /** Failed attempts that were the fault of the hook, not of its environment. */
  readonly ownFailures: number;
}

/** The task of one trigger that came at `nowMs`. */
export function newTask(hook: Hook, trigger: Trigger, nowMs: number): Task {
  const allowFailure = 'allowFailure' in trigger.binding && trigger.binding.allowFailure;
  return { hook, triggers: [trigger], allowFailure, queuedAtMs: nowMs, failures: 0, ownFailures: 0 };
}

/** The queue that a trigger goes to: that of its binding, but `main` at the start and for a Synchronization. */
export function queueOf(trigger: QueuedTrigger): string {
  return trigger.type === 'event' || trigger.type === 'schedule' ? trigger.binding.queue : 'main';
}
