import type { Task } from '../hook/task.ts';
import { unreachable } from '../lib/unreachable.ts';
import { retryDelayMs, soonDelayMs } from './retry-delay.ts';
import type { FailedRun, Run, RunOutcome } from './run.ts';

/** What happens to a task after a run of it. */
export type Next =
  /** With `againInMs` the hook asked to come again for the same object. */
  | { readonly type: 'done'; readonly againInMs?: number }
  /**
   * Run again after `delayMs`: at the `head` its queue waits for it, `later` it is queued again and others go ahead.
   */
  | { readonly type: 'retry'; readonly at: 'head' | 'later'; readonly delayMs: number }
  /**
   * Not run again: its failure is allowed, a newer run replaced it, its hook was changed or removed, or its attempts are
   * exhausted with `onExhausted: drop`.
   */
  | { readonly type: 'drop'; readonly why: 'allowed' | 'replaced' | 'gone' | 'exhausted' }
  /** Given up, and remembered as a dead letter. */
  | { readonly type: 'dead'; readonly why: 'permanent' | 'exhausted' }
  /** The operator stops: the task stays at the head of its queue, which ends. */
  | { readonly type: 'keep' }
  /** The caller gets the outcome, whether the run succeeded or failed. */
  | { readonly type: 'answer' };

/** What the decision depends on besides the run and its outcome. */
export interface RetryPolicy {
  /** Source of randomness in [0, 1). */
  readonly random: () => number;
}

/** When a run that is not yet to be done is tried again, unless its hook says. */
const LATER_MS = 30_000;

/**
 * Decides what happens after a run. Pure: the operator calls it after each run from a queue, records the result in the
 * journal, and carries it out.
 *
 * A task is run again until it succeeds, unless its failure is allowed. It blocks its queue meanwhile, which keeps the
 * order of events. Only a Synchronization lets others go ahead: a hook that fails at its start holds up only itself.
 * The delay grows with the failures of the hook. It is short while the environment is at fault, such as an API server
 * that is unavailable, and not shorter than the server asked for.
 */
export function afterRun(run: Run, outcome: RunOutcome, { random }: RetryPolicy): Next {
  if (run.task.triggers[0].type === 'ask') return { type: 'answer' };
  switch (outcome.type) {
    case 'succeeded':
      return { type: 'done' };
    case 'later':
      return { type: 'retry', at: 'later', delayMs: outcome.retryAfterMs ?? LATER_MS };
    case 'replaced':
      return { type: 'drop', why: 'replaced' };
    case 'interrupted':
      return outcome.by === 'reload' ? { type: 'drop', why: 'gone' } : { type: 'keep' };
    case 'failed':
      return afterFailure(run, outcome, random);
    default:
      return unreachable(outcome);
  }
}

function afterFailure(run: Run, failure: FailedRun, random: () => number): Next {
  if (run.task.allowFailure) return { type: 'drop', why: 'allowed' };
  const isSynchronization = run.task.triggers.some(({ type }) => type === 'synchronization');
  return { type: 'retry', at: isSynchronization ? 'later' : 'head', delayMs: delayOf(run, failure, random) };
}

/** The task for its next attempt. A failure of the environment does not count in `ownFailures`. */
export function retried(task: Task, outcome: RunOutcome, nowMs: number): Task {
  const isOwn = outcome.type === 'failed' && outcome.by !== 'environment';
  const ownFailures = task.ownFailures + (isOwn ? 1 : 0);
  return { ...task, failures: task.failures + 1, ownFailures, queuedAtMs: nowMs };
}

function delayOf({ attempt, task }: Run, { by, retryAfterMs = 0 }: FailedRun, random: () => number): number {
  if (by === 'environment') return Math.max(retryAfterMs, soonDelayMs(attempt));
  return retryDelayMs(task.ownFailures + 1, random);
}
