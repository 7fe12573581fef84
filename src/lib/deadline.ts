/*
 * The doors through which this process waits for another party: a socket, a session, a process, a server, a file. A
 * wait ends with the party's event, at its limit, or with its signal, whichever comes first, because a party that
 * hangs, or a library that misses its end, must never block a caller forever. `eventually` waits for events, `within`
 * for a promise. Waits for this process itself use `latch.ts` and `bell.ts`.
 */

const MAX_TIMER_MS = 2 ** 31 - 1;

/** How a wait ends when the other party does nothing. */
export interface Deadline<T> {
  readonly limitMs: number;
  /**
   * Called at the limit: the wait returns its value, or rejects with the error that it throws. It should also release
   * what was waited for.
   */
  readonly late: () => T;
  /** Aborting it ends the wait with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Settles the wait; only the first call counts. */
export interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Waits for events of another party. `listen` subscribes to them and returns a function that unsubscribes, which is
 * called when the wait is over.
 */
export async function eventually<T>(
  { limitMs, late, signal }: Deadline<T>,
  listen: (settle: Settle<T>) => (() => unknown) | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => {};
  let stop: () => unknown = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      timer = setTimeout(
        () => {
          try {
            resolve(late());
          } catch (error) {
            reject(error);
          }
        },
        Math.min(limitMs, MAX_TIMER_MS),
      );
      abort = () => reject(abortReason(signal));
      signal?.addEventListener('abort', abort, { once: true });
      stop = listen({ resolve, reject }) ?? stop;
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    stop();
  }
}

/** Waits for `promise` until the deadline; its later result is ignored. */
export async function within<T>(promise: Promise<T>, deadline: Deadline<T>): Promise<T> {
  promise.catch(() => {});
  return eventually(deadline, ({ resolve, reject }) => {
    promise.then(resolve, reject);
  });
}

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
