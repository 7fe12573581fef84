import type { HookResult } from '../../hook/result.ts';
import type { FailedRun, LaterRun, LockedOut, RunOutcome } from '../../run/run.ts';
import { messageOf } from '../../lib/message-of.ts';

/** When a task tries again that nobody hastens. */
const AGAIN_MS = 300_000;
/** When a run tries again whose lock a person has to make right. */
const REFUSED_MS = 30_000;

/** The outcome of a run whose hook was not started, since somebody holds its lock. */
export function lockedOutRun(lockedOut: LockedOut): LaterRun {
  return {
    type: 'later',
    cost: { durationMs: 0, usage: {} },
    applied: [],
    retryAfterMs: AGAIN_MS,
    lockedOut,
    result: saying('LockHeld', lockedOut.message),
  };
}

/** The outcome of a run whose lock is a Lease of somebody else: a person has to give it another name. */
export function refusedRun(message: string): FailedRun {
  return { ...failedRun('LockRefused', new Error(message)), retryAfterMs: REFUSED_MS };
}

/** The outcome of a run whose lock could not be taken. */
export function untakenRun(lock: string, cause: unknown): FailedRun {
  const why = messageOf(cause);
  return failedRun('LockUnavailable', new Error(`the lock ${lock} could not be taken: ${why}`, { cause }));
}

/** The outcome of a run that was ended since its lock was lost, whatever its hook made of that. */
export function lostRun(reason: unknown, { ...outcome }: RunOutcome): FailedRun {
  const why = reason instanceof Error ? reason : new Error(String(reason));
  const cost = 'cost' in outcome ? outcome.cost : undefined;
  return { ...failedRun('LockLost', why), ...(cost && { cost }) };
}

/** Not the fault of the hook, so it uses up none of its attempts. */
function failedRun(reason: string, error: Error): FailedRun {
  return { type: 'failed', by: 'environment', error, result: saying(reason, error.message) };
}

function saying(reason: string, message: string): HookResult {
  return { reason, message, conditions: [], events: [], contexts: new Map() };
}
