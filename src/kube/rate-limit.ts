import { sleep } from '../lib/sleep.ts';

export interface RateLimitOptions {
  readonly perSecond: number;
  /** How many may pass at once after an idle time; at least 1. */
  readonly burst: number;
}

/** Resolves when the caller may proceed, in the order of the calls; rejects when the signal aborts. */
export type RateLimit = (signal: AbortSignal) => Promise<void>;

/**
 * A token bucket: each call takes a token; if none is left, it borrows the next one and waits until that would have
 * been added.
 */
export function tokenBucket({ perSecond, burst }: RateLimitOptions): RateLimit {
  const size = Math.max(1, burst);
  let tokens = size;
  let filledAt = performance.now();
  return async (signal) => {
    const now = performance.now();
    tokens = Math.min(size, tokens + ((now - filledAt) / 1000) * perSecond) - 1;
    filledAt = now;
    if (tokens >= 0) return;
    await sleep((-tokens / perSecond) * 1000, signal);
    signal.throwIfAborted();
  };
}
