const MAX_TIMER_MS = 2 ** 31 - 1;

/** The limits of one run, and what to do when they are reached. */
export interface RunLimits {
  readonly timeoutMs: number | undefined;
  /** Time from `onEnd` to `onKill`; called when the run is asked to end. */
  readonly graceMs: () => number;
  readonly signal: AbortSignal;
  /** Asks the run to end. */
  readonly onEnd: () => void;
  /** Called when the run has not ended after the grace period. */
  readonly onKill: () => void;
}

/**
 * Ends a run when its timeout expires or `signal` aborts: asks it to end, and kills it after the grace period. Call
 * `clear` once the run has ended.
 */
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
  // Node fires a longer timer at once; such a timeout is no limit.
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
