import type { Task } from '../hook/task.ts';
import { unreachable } from '../lib/unreachable.ts';
import { retryDelayMs, soonDelayMs } from './retry-delay.ts';
import type { FailedRun, Run, RunOutcome } from './run.ts';

/** What happens after a run. */
export type Next =
  | { readonly type: 'done' }
  /** The task is run again: it stays at the head of its queue, or is queued again and lets others pass. */
  | { readonly type: 'retry'; readonly at: 'head' | 'later'; readonly delayMs: number }
  | { readonly type: 'drop'; readonly why: 'allowed' | 'replaced' | 'gone' }
  /** The queue stops with the task at its head. */
  | { readonly type: 'keep' }
  /** The caller gets the outcome, whatever it is. */
  | { readonly type: 'answer' };

export interface RetryPolicy {
  /** Source of randomness in [0, 1). */
  readonly random: () => number;
}

/**
 * What happens after a run, decided by nothing but its arguments. A failed Synchronization is queued again later, so that
 * it holds up its own hook alone; every other task holds its queue.
 */
export function afterRun(run: Run, outcome: RunOutcome, { random }: RetryPolicy): Next {
  if (run.task.triggers[0].type === 'ask') return { type: 'answer' };
  switch (outcome.type) {
    case 'succeeded':
      return { type: 'done' };
    case 'replaced':
      return { type: 'drop', why: 'replaced' };
    case 'interrupted':
      return outcome.by === 'reload' ? { type: 'drop', why: 'gone' } : { type: 'keep' };
    case 'failed': {
      if (run.task.allowFailure) return { type: 'drop', why: 'allowed' };
      const isSynchronization = run.task.triggers.some(({ type }) => type === 'synchronization');
      return { type: 'retry', at: isSynchronization ? 'later' : 'head', delayMs: delayOf(run, outcome, random) };
    }
    default:
      return unreachable(outcome);
  }
}

/** The task as it is queued again. */
export function retried(task: Task, outcome: RunOutcome, nowMs: number): Task {
  const isOwn = outcome.type === 'failed' && outcome.by !== 'environment';
  const ownFailures = task.ownFailures + (isOwn ? 1 : 0);
  return { ...task, failures: task.failures + 1, ownFailures, queuedAtMs: nowMs };
}

function delayOf({ attempt, task }: Run, { by, retryAfterMs = 0 }: FailedRun, random: () => number): number {
  if (by === 'environment') return Math.max(retryAfterMs, soonDelayMs(attempt));
  return retryDelayMs(task.ownFailures + 1, random);
}
