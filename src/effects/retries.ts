import { KubeError } from '../errors.ts';
import { sleep } from '../lib/sleep.ts';
import { isLost } from './api-error.ts';

const MAX_TRIES = 4;
const FIRST_DELAY_MS = 10;
const DELAY_FACTOR = 5;
const MAX_WAIT_MS = 30_000;

export interface RetryRule {
  /** Each attempt reads the object again, so a conflict is worth another. */
  readonly retriesConflicts: boolean;
  /** Doing it twice does no harm, so it may be tried again when the answer was lost. */
  readonly retriesLost: boolean;
}

export interface RetryOptions {
  readonly rule: RetryRule;
  readonly signal: AbortSignal;
  readonly onRetry: (error: unknown, delayMs: number) => void;
}

/** Runs `attempt` until it succeeds, fails for good, or has been tried and waited for enough. */
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

/** How long to wait before the next attempt; undefined when there should be none. */
function retryDelayMs(error: unknown, tries: number, rule: RetryRule): number | undefined {
  const delayMs = FIRST_DELAY_MS * DELAY_FACTOR ** (tries - 1);
  // A request that took its whole time limit has waited long enough.
  if (!(error instanceof KubeError) || error.reason === 'Timeout') return undefined;
  if (error.status === 429) return Math.max(delayMs, error.retryAfterMs ?? 0);
  if (isLost(error)) return rule.retriesLost ? Math.max(delayMs, error.retryAfterMs ?? 0) : undefined;
  return error.status === 409 && rule.retriesConflicts ? delayMs : undefined;
}
