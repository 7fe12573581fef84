import { eventually } from './deadline.ts';

/** One of several ways to the same thing; its signal aborts when it is not wanted any more. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T>;

export interface HedgeOptions<T> {
  /** After so long without a result another attempt starts beside those that run. */
  readonly afterMs: number;
  /** The end of the whole. */
  readonly limitMs: number;
  /** What the whole fails with at its end, when no attempt has failed before. */
  readonly late: () => Error;
  /** Takes what an attempt brings that is not wanted any more. */
  readonly discard: (value: T) => void;
  readonly signal: AbortSignal;
}

/**
 * Tries until one attempt succeeds, and ends the others then. The first attempt may take until the limit, for a peer that
 * is slow; each of the later ones, which are there for a peer that lost the first, lives for two periods. So at most three
 * run at once. It fails when one fails and no other runs.
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
