import { sleep } from '../lib/sleep.ts';

export interface RateLimitOptions {
  readonly perSecond: number;
  /** How many may pass at once after a pause; at least 1. */
  readonly burst: number;
}

/** Waits for a turn; the turns are given in the order they were asked for. */
export type RateLimit = (signal: AbortSignal) => Promise<void>;

/** A token bucket: each call takes a token, if need be one that is not there yet, and waits until it would be. */
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
