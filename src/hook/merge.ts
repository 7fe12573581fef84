import type { Task } from './task.ts';
import { sliceOfTrigger, type ReconcileReason, type Trigger } from './trigger.ts';

const BULK: readonly ReconcileReason[] = ['start', 'resync', 'hook-changed'];

/** Makes one task of two about the same object; `next` came later, and starts the attempts anew unless it is bulk. */
export function mergeTasks(waiting: Task, next: Task): Task {
  // The hook was changed meanwhile: what waits for the old one is not run.
  if (waiting.hook !== next.hook) return next;
  if (isBulk(next)) return isOfOneSlice(waiting, next) ? waiting : next;
  return anew({ ...waiting, triggers: mergeTriggers(waiting.triggers, next.triggers) }, next.sinceMs);
}

/** Not so of an object that was created anew: what waits is about the one before. */
function isOfOneSlice({ triggers: [waiting] }: Task, { triggers: [next] }: Task): boolean {
  return sliceOfTrigger(waiting) === sliceOfTrigger(next);
}

/** Whether a task is one of a flood, which others overtake: its objects are looked at although nothing happened. */
export function isBulk({ triggers }: Task): boolean {
  return triggers.every((trigger) => trigger.type === 'reconcile' && BULK.includes(trigger.reason));
}

/** The task as one without a failure, since something happened to its object at `sinceMs`. */
export function anew(task: Task, sinceMs: number): Task {
  return { ...task, failures: 0, ownFailures: 0, sinceMs, ...(task.isAlone === true && { isAlone: false }) };
}

/** Events stay in order; an object is looked at once, for the newest reason. */
function mergeTriggers(waiting: Task['triggers'], next: Task['triggers']): Task['triggers'] {
  if (next[0].type === 'reconcile') return next;
  const [first, ...others]: readonly [Trigger, ...Trigger[]] = waiting;
  return [first, ...others, ...next];
}
