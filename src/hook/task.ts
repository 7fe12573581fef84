import { unreachable } from '../lib/unreachable.ts';
import type { Hook, HookLock } from './binding.ts';
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
  /** When the oldest trigger was queued, or a newer event started it anew; milliseconds since the epoch. */
  readonly sinceMs: number;
  /** The `output` of the last attempt's result, as JSON text. */
  readonly previous?: string;
  /** It was set aside: it has attempts of its own, and is not combined with others. Default false. */
  readonly isAlone?: boolean;
  /** The lock that its last attempt did not get, as `namespace/name`. */
  readonly lockedOut?: string;
}

/** The lock of a task: that of the binding of its first trigger, which is that of all of them. */
export function lockOf({ triggers: [{ binding }] }: Pick<Task, 'triggers'>): HookLock | undefined {
  return 'lock' in binding ? binding.lock : undefined;
}

/**
 * The task of one trigger that came at `nowMs`. What an earlier process began of a tick and did not finish counts as
 * failed attempts, so that a tick has no more of them than its retry rule allows, however often the operator ends.
 */
export function newTask(hook: Hook, trigger: Trigger, nowMs: number): Task {
  const allowFailure = 'allowFailure' in trigger.binding && trigger.binding.allowFailure;
  const failures = trigger.type === 'schedule' ? trigger.run.attemptsBefore : 0;
  const since = { queuedAtMs: nowMs, sinceMs: nowMs };
  return { hook, triggers: [trigger], allowFailure, failures, ownFailures: failures, ...since };
}

/** The queue that a trigger goes to: that of its binding, but `main` at the start and for a Synchronization. */
export function queueOf(hook: Hook, trigger: QueuedTrigger): QueuePlace {
  switch (trigger.type) {
    case 'schedule':
    case 'http':
      return { name: trigger.binding.queue };
    case 'event': {
      const { concurrency, parallelism = DEFAULT_PARALLELISM, queue } = trigger.binding;
      return concurrency === 'byObject'
        ? { name: objectQueueName(hook, trigger.binding), parallelism }
        : { name: queue };
    }
    case 'reconcile':
      return { name: objectQueueName(hook, trigger.binding), parallelism: trigger.binding.parallelism };
    case 'onStartup':
    case 'synchronization':
      return { name: 'main' };
    default:
      return unreachable(trigger);
  }
}

/** The queue of a binding whose objects run independently of each other. */
export function objectQueueName(hook: Hook, binding: { readonly name: string }): string {
  return `${hook.name}/${binding.name}`;
}

/** A queue by name; with `parallelism` one that is in order for each object alone. */
export interface QueuePlace {
  readonly name: string;
  readonly parallelism?: number;
}

/** How many objects of a binding with `concurrency: byObject` run side by side. */
export const DEFAULT_PARALLELISM = 4;
