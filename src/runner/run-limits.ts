const MAX_TIMER_MS = 2 ** 31 - 1;

export interface RunLimits {
  readonly timeoutMs: number | undefined;
  /** From `onEnd` to `onKill`; asked for when the end begins. */
  readonly graceMs: () => number;
  readonly signal: AbortSignal;
  /** Asks the run to end. */
  readonly onEnd: () => void;
  /** It did not. */
  readonly onKill: () => void;
}

/** Ends a run when its time is over or `signal` aborts: it is asked first, and killed after the grace period. */
export function limitRun({ timeoutMs, graceMs, signal, onEnd, onKill }: RunLimits) {
  let isTimedOut = false;
  let kill: NodeJS.Timeout | undefined;
  const end = (): void => {
    onEnd();
    kill ??= setTimeout(onKill, graceMs());
  };
  const expire = (): void => {
    isTimedOut = true;
    end();
  };
  // A longer timer would fire at once.
  const isLimited = timeoutMs !== undefined && timeoutMs <= MAX_TIMER_MS;
  const limit = isLimited ? setTimeout(expire, timeoutMs) : undefined;
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return {
    isTimedOut: () => isTimedOut,
    clear: () => {
      clearTimeout(limit);
      clearTimeout(kill);
      signal.removeEventListener('abort', end);
    },
  };
}
