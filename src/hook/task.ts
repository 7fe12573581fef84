import type { Hook } from './binding.ts';
import type { QueuedTrigger, Trigger } from './trigger.ts';

/** One run that is to come: a hook and what triggered it. Plain data, merged by `combine`. */
export interface Task {
  readonly hook: Hook;
  readonly triggers: readonly [Trigger, ...Trigger[]];
  readonly allowFailure: boolean;
  /** Milliseconds since the epoch, of the oldest trigger. */
  readonly queuedAtMs: number;
  /** Failures so far; combining keeps those of the first task. */
  readonly failures: number;
  /** Those of them that the hook is to blame for, and not its environment. */
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
