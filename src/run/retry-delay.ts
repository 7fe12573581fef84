import type { BackoffRule, RetryRule } from '../hook/binding.ts';
import type { Task } from '../hook/task.ts';
import type { FailedRun, LaterRun, Run } from './run.ts';

/** What a delay depends on besides the run. */
export interface DelaySource {
  /** Source of randomness in [0, 1). */
  readonly random: () => number;
  readonly nowMs: number;
}

/** When a run that is not yet to be done is tried again, unless its hook says. */
const LATER_MS = 30_000;
/** For how long a task may say `later`, and the longest delay that a hook may ask for, unless the rule says. */
const LIMIT_MS = 3_600_000;

const BASE_MS = 5000;
const MAX_MS = 32_000;
const GROWING_ATTEMPTS = 5;

const FIRST_SOON_MS = 500;
const MAX_SOON_MS = 2000;

/**
 * The delay after a number of failures of a task, in milliseconds: 5 s after the first. After the second to the sixth,
 * 5 s plus 1 s, doubling with each failure, plus a random part of a second, in tenths of a second. Then 32 s.
 */
export function retryDelayMs(failures: number, random: () => number): number {
  if (failures <= 1) return BASE_MS;
  if (failures > GROWING_ATTEMPTS + 1) return MAX_MS;
  const growingMs = 1000 * (2 ** (failures - 2) + random());
  return Math.min(MAX_MS, Math.floor((BASE_MS + growingMs) / 100) * 100);
}

/**
 * The delay after a failure of the environment, in milliseconds: short, so that the hook runs within 3 s of recovery.
 */
export function soonDelayMs(failures: number): number {
  return Math.min(FIRST_SOON_MS * 2 ** (failures - 1), MAX_SOON_MS);
}

/** The rule of the task's first trigger; undefined where failures are handled as in shell-operator. */
export function ruleOf({ triggers: [{ binding }] }: Task): RetryRule | undefined {
  return 'retry' in binding ? binding.retry : undefined;
}

/** The time from the first attempt after which `later` counts as a failure. */
export function laterDeadlineMs(task: Task, { lockedOut }: Pick<LaterRun, 'lockedOut'>): number {
  return lockedOut?.limitMs ?? ruleOf(task)?.deadlineMs ?? LIMIT_MS;
}

/** The delay of a run that is not yet to be done; it ends at the deadline, so that the last attempt is there. */
export function laterDelayMs({ task }: Run, outcome: LaterRun, { nowMs }: DelaySource): number {
  const { retryAfterMs = LATER_MS } = outcome;
  return Math.min(retryAfterMs, Math.max(0, task.sinceMs + laterDeadlineMs(task, outcome) - nowMs));
}

/**
 * The delay of a run that failed: what its hook asked for, else that of the rule, else that of shell-operator. It ends at
 * the deadline of the rule. Where the environment is at fault, it is short.
 */
export function failureDelayMs({ attempt, task }: Run, failure: FailedRun, { random, nowMs }: DelaySource): number {
  if (failure.by === 'environment') return Math.max(failure.retryAfterMs ?? 0, soonDelayMs(attempt));
  const { backoff, deadlineMs } = ruleOf(task) ?? {};
  const leftMs = deadlineMs === undefined ? LIMIT_MS : task.sinceMs + deadlineMs - nowMs;
  const failures = task.ownFailures + 1;
  const delayMs = backoff === undefined ? retryDelayMs(failures, random) : backoffDelayMs(backoff, failures, random);
  // A task that blocks its queue after its deadline keeps to its delays.
  return leftMs <= 0 ? delayMs : Math.min(failure.retryAfterMs ?? delayMs, leftMs);
}

/** The delay after a number of failures by a backoff rule: between that without its random part, and the whole. */
export function backoffDelayMs(rule: BackoffRule, failures: number, random: () => number): number {
  const { firstMs, factor, maxMs, jitter } = rule;
  const delayMs = Math.min(maxMs, firstMs * factor ** (failures - 1));
  return Math.round(delayMs * (1 - jitter * random()));
}
