import { KubeError } from '../errors.ts';
import { sleep } from '../lib/sleep.ts';
import { isLost } from '../kube/api-error.ts';

const MAX_TRIES = 4;
const FIRST_DELAY_MS = 10;
const DELAY_FACTOR = 5;
const MAX_WAIT_MS = 30_000;

export interface RetryRule {
  /** Retry after a conflict: set when each attempt reads the object again. */
  readonly retriesConflicts: boolean;
  /** Retry when the answer was lost: set when carrying out the request twice does no harm. */
  readonly retriesLost: boolean;
}

export interface RetryOptions {
  readonly rule: RetryRule;
  readonly signal: AbortSignal;
  readonly onRetry: (error: unknown, delayMs: number) => void;
}

/**
 * Runs `attempt` until it succeeds or fails with an error that is not retried, at most 4 times with 30 s of delays in
 * all.
 */
export async function withRetries<T>(attempt: () => Promise<T>, { rule, signal, onRetry }: RetryOptions): Promise<T> {
  let waitedMs = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delayMs = tries < MAX_TRIES ? retryDelayMs(error, tries, rule) : undefined;
      if (delayMs === undefined || waitedMs + delayMs > MAX_WAIT_MS || signal.aborted) throw error;
      onRetry(error, delayMs);
      await sleep(delayMs, signal);
      if (signal.aborted) throw error;
      waitedMs += delayMs;
    }
  }
}

/** The delay before the next attempt, in milliseconds; `undefined` when there should be none. */
function retryDelayMs(error: unknown, tries: number, rule: RetryRule): number | undefined {
  const delayMs = FIRST_DELAY_MS * DELAY_FACTOR ** (tries - 1);
  // A request that ran into its timeout has taken long enough.
  if (!(error instanceof KubeError) || error.reason === 'Timeout') return undefined;
  if (error.status === 429) return Math.max(delayMs, error.retryAfterMs ?? 0);
  if (isLost(error)) return rule.retriesLost ? Math.max(delayMs, error.retryAfterMs ?? 0) : undefined;
  return error.status === 409 && rule.retriesConflicts ? delayMs : undefined;
}
