import { HookFailedError } from '../errors.ts';
import type { RetryRule } from '../hook/binding.ts';
import type { Task } from '../hook/task.ts';
import { isMoved } from '../hook/trigger.ts';
import { durationText } from '../lib/duration-text.ts';
import { unreachable } from '../lib/unreachable.ts';
import { failureDelayMs, laterDeadlineMs, laterDelayMs, ruleOf } from './retry-delay.ts';
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
   * Not run again: its failure is allowed, a newer run replaced it, its hook was changed or removed, its objects moved to
   * another replica, or its attempts are exhausted with `onExhausted: drop`.
   */
  | { readonly type: 'drop'; readonly why: 'allowed' | 'replaced' | 'gone' | 'moved' | 'exhausted' }
  /** Given up, and remembered as a dead letter. */
  | { readonly type: 'dead'; readonly why: 'permanent' | 'exhausted' }
  /** The operator stops: the task stays at the head of its queue, which ends. */
  | { readonly type: 'keep' }
  /** The caller gets the outcome, whether the run succeeded or failed. */
  | {
      readonly type: 'answer';
      /** It did not wait any longer. */
      readonly isLate?: true;
    };

/** What the decision depends on besides the run and its outcome. */
export interface RetryPolicy {
  /** Source of randomness in [0, 1). */
  readonly random: () => number;
  readonly nowMs: number;
}

/**
 * Decides what happens after a run. Pure: the operator calls it for each part of a run from a queue, records the result
 * in the journal, and carries it out.
 *
 * By default, a task is run again until it succeeds, unless its failure is allowed. It blocks its queue meanwhile, which
 * keeps the order of events. Only a Synchronization lets others go ahead: a hook that fails at its start holds up only
 * itself. The delay grows with the failures of the hook. It is short while the environment is at fault, such as an API
 * server that is unavailable, and not shorter than the server asked for.
 *
 * A task that is not yet to be done (`later`) leaves the head of its queue, and no attempt is counted. A permanent
 * failure is given up, and so is one that exhausts the retry rule of the binding. What all others wait for, onStartup,
 * stays at the head in each case.
 */
export function afterRun(run: Run, outcome: RunOutcome, policy: RetryPolicy): Next {
  if (run.task.triggers[0].type === 'ask') return { type: 'answer' };
  switch (outcome.type) {
    case 'succeeded':
      return doneOf(outcome.result?.retryAfterMs);
    case 'later':
      return { type: 'retry', at: isStart(run.task) ? 'head' : 'later', delayMs: laterDelayMs(run, outcome, policy) };
    case 'replaced':
      return { type: 'drop', why: 'replaced' };
    case 'interrupted':
      return afterInterruption(run, outcome.by);
    case 'failed':
      return afterFailure(run, outcome, policy);
    default:
      return unreachable(outcome);
  }
}

/** What has not moved of a task is run again at once. */
function afterInterruption({ task }: Run, by: 'shutdown' | 'reload' | 'moved'): Next {
  switch (by) {
    case 'shutdown':
      return { type: 'keep' };
    case 'reload':
      return { type: 'drop', why: 'gone' };
    case 'moved': {
      if (task.triggers.every(isMoved)) return { type: 'drop', why: 'moved' };
      return { type: 'retry', at: isSynchronization(task) ? 'later' : 'head', delayMs: 0 };
    }
    default:
      return unreachable(by);
  }
}

function isSynchronization({ triggers }: Task): boolean {
  return triggers.some(({ type }) => type === 'synchronization');
}

function doneOf(againInMs: number | undefined): Next {
  return againInMs === undefined ? { type: 'done' } : { type: 'done', againInMs };
}

function afterFailure(run: Run, failure: FailedRun, policy: RetryPolicy): Next {
  const { task } = run;
  if (task.allowFailure) return { type: 'drop', why: 'allowed' };
  const delayMs = failureDelayMs(run, failure, policy);
  const retry: Next = { type: 'retry', at: isSynchronization(task) ? 'later' : 'head', delayMs };
  if (isStart(task)) return retry;
  if (failure.isPermanent === true) return { type: 'dead', why: 'permanent' };
  const rule = ruleOf(task);
  if (rule === undefined || !isExhausted(task, failure, rule, policy.nowMs)) return retry;
  switch (rule.onExhausted) {
    case 'block':
      return retry;
    case 'dead':
      return { type: 'dead', why: 'exhausted' };
    case 'drop':
      return { type: 'drop', why: 'exhausted' };
    default:
      return unreachable(rule.onExhausted);
  }
}

/** The environment uses up no attempts, but the time until the deadline. */
function isExhausted({ ownFailures, sinceMs }: Task, { by }: FailedRun, rule: RetryRule, nowMs: number): boolean {
  const { max = Number.POSITIVE_INFINITY, deadlineMs = Number.POSITIVE_INFINITY } = rule;
  return (by !== 'environment' && ownFailures + 1 >= max) || nowMs - sinceMs >= deadlineMs;
}

function isStart({ triggers: [trigger] }: Task): boolean {
  return trigger.type === 'onStartup';
}

/**
 * The outcome as it counts: a run that says `later` after its deadline, by default 1 h after its task was queued, has
 * failed.
 */
export function countedOutcome({ task }: Run, outcome: RunOutcome, nowMs: number): RunOutcome {
  if (outcome.type !== 'later' || nowMs - task.sinceMs < laterDeadlineMs(task, outcome)) return outcome;
  const { cost, result, retryAfterMs, lockedOut } = outcome;
  const since = durationText(nowMs - task.sinceMs);
  const what =
    lockedOut === undefined
      ? `hook says for ${since} that its work cannot be done yet`
      : `hook has waited for ${since}: ${lockedOut.message}`;
  const error = new HookFailedError(`${what}, which counts as a failure`);
  const waits = { ...(retryAfterMs !== undefined && { retryAfterMs }), ...(result && { result }) };
  return { type: 'failed', by: 'hook', error, cost, ...waits };
}

/** The task for its next attempt. `later` is no failure, and one of the environment does not count in `ownFailures`. */
export function retried(task: Task, outcome: RunOutcome, nowMs: number): Task {
  const { lockedOut: _, ...kept } = task;
  const again = { ...kept, ...previousOf(outcome), queuedAtMs: nowMs };
  if (outcome.type === 'later') {
    return outcome.lockedOut === undefined ? again : { ...again, lockedOut: outcome.lockedOut.lock };
  }
  if (outcome.type === 'interrupted') return again;
  const isOwn = outcome.type === 'failed' && outcome.by !== 'environment';
  return { ...again, failures: task.failures + 1, ownFailures: task.ownFailures + (isOwn ? 1 : 0) };
}

function previousOf(outcome: RunOutcome): Pick<Task, 'previous'> {
  const output = 'result' in outcome ? outcome.result?.output : undefined;
  return output === undefined ? {} : { previous: output };
}
