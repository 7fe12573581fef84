const MAX_TIMER_MS = 2 ** 31 - 1;

/** How a wait on another party ends when that party does nothing. */
export interface Deadline<T> {
  readonly limitMs: number;
  /** What the wait comes to at its limit: a value, or the error that it throws. It also lets go of what was waited for. */
  readonly late: () => T;
  /** Ends the wait sooner, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What the events of the other party do to the wait; the first call counts. */
export interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Waits for events of another party: a socket, a session, a process, a server. `listen` starts to listen; what it returns
 * stops that again. The wait ends at its limit or with its signal, whatever the other party and the library between do.
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

/** Waits for `promise` until the deadline; what it does later is not looked at. */
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
