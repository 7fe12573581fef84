/*
 * Hedged attempts: when an attempt is slow, another one is started beside it, and the first that succeeds wins. Opening
 * connections to the API server uses this, because a single packet loss or one bad backend can delay an attempt by
 * seconds. `hedged` starts the attempts, aborts the losers, and passes late values to `discard`, so that no value
 * leaks. It is over when one attempt succeeds, when one fails and no other runs, at the limit, or when the signal
 * aborts.
 */

import { eventually } from './deadline.ts';

/** One attempt; its signal aborts when its result is not needed. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T>;

export interface HedgeOptions<T> {
  /** After this long without a result another attempt starts beside the running ones. */
  readonly afterMs: number;
  /** Limit for all attempts together. */
  readonly limitMs: number;
  /** Creates the error at the limit, which is used when no attempt has failed before. */
  readonly late: () => Error;
  /** Releases the value of an attempt that was not needed. */
  readonly discard: (value: T) => void;
  readonly signal: AbortSignal;
}

/**
 * Attempts until one succeeds, and aborts the others. The first attempt may take until the limit, in case the other
 * party is slow; each later one, in case the first was lost, has two periods. So at most three run at once. Rejects
 * when one fails and no other is running, with the last failure at the limit, or with the signal's reason.
 */
export async function hedged<T>(attempt: Attempt<T>, options: HedgeOptions<T>): Promise<T> {
  const { afterMs, limitMs, late, discard, signal } = options;
  let failure: unknown;
  const atLimit = (): never => {
    throw failure instanceof Error ? failure : late();
  };
  return eventually<T>({ limitMs, late: atLimit, signal }, ({ resolve, reject }) => {
    const running = new Set<AbortController>();
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const succeed = (value: T): void => {
      if (isOver) discard(value);
      isOver = true;
      resolve(value);
    };
    const fail = (error: unknown): void => {
      failure = error;
      if (running.size === 0) reject(error);
    };
    const run = async (lifeMs: number): Promise<void> => {
      const controller = new AbortController();
      const end = setTimeout(() => controller.abort(late()), lifeMs);
      running.add(controller);
      try {
        const value = await attempt(controller.signal);
        running.delete(controller);
        succeed(value);
      } catch (error) {
        running.delete(controller);
        fail(error);
      } finally {
        clearTimeout(end);
      }
    };
    const startNext = (): void => {
      timer = setTimeout(startNext, afterMs);
      void run(2 * afterMs);
    };
    timer = setTimeout(startNext, afterMs);
    void run(limitMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
      for (const controller of running) controller.abort(late());
    };
  });
}
