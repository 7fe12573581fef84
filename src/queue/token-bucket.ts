import { sleep } from '../lib/sleep.ts';

export interface TokenBucketOptions {
  /** Time in which one token is added; 0 means no limit. */
  readonly intervalMs: number;
  /** How many tokens a full bucket holds; 0 counts as 1. */
  readonly burst: number;
  readonly now?: () => number;
}

/** A rate limit: each `wait` takes a token. Calls that find none wait, and are served in order. */
export class TokenBucket {
  readonly #intervalMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  #updatedAtMs: number;

  constructor({ intervalMs, burst, now = Date.now }: TokenBucketOptions) {
    this.#intervalMs = intervalMs;
    this.#burst = Math.max(1, burst);
    this.#now = now;
    this.#tokens = this.#burst;
    this.#updatedAtMs = now();
  }

  /** Waits for a token, or until `signal` aborts; it never rejects. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#intervalMs <= 0) return;
    this.#refill();
    this.#tokens -= 1;
    // A negative number is the calls that wait: each waits one interval longer than the one before.
    if (this.#tokens >= 0) return;
    await sleep(-this.#tokens * this.#intervalMs, signal);
    // A call that was aborted leaves its token to the next one.
    if (signal.aborted) this.#tokens += 1;
  }

  #refill(): void {
    const nowMs = this.#now();
    const grown = Math.max(0, nowMs - this.#updatedAtMs) / this.#intervalMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + grown);
    this.#updatedAtMs = nowMs;
  }
}
