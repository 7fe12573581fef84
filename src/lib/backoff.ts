/** A series of growing delays. */
export interface Backoff {
  /** Returns the next delay in milliseconds. */
  next(): number;
  /** Restarts the series. */
  reset(): void;
}

export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Growth from one delay to the next; default 2. */
  readonly factor?: number;
  /** Each delay is increased by a random share between 0 and this; default 0. */
  readonly jitter?: number;
  /** Source of randomness in [0, 1); default `Math.random`. */
  readonly random?: () => number;
}

/** Creates an exponential series from `initialMs` to `maxMs`; the jitter is added on top of the limit. */
export function exponentialBackoff(options: BackoffOptions): Backoff {
  const { initialMs, maxMs, factor = 2, jitter = 0, random = Math.random } = options;
  let current = initialMs;
  return {
    next() {
      const delay = Math.min(current, maxMs);
      current = Math.min(current * factor, maxMs);
      return delay * (1 + jitter * random());
    },
    reset() {
      current = initialMs;
    },
  };
}
