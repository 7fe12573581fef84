const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits `delayMs` milliseconds, or until `signal` aborts if that is sooner; it never rejects. */
export async function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  let leftMs = Math.max(0, delayMs);
  // Node fires a timer longer than 24.8 days at once, so a long wait is split.
  while (leftMs > MAX_TIMER_MS && !signal.aborted) {
    await sleepOnce(MAX_TIMER_MS, signal);
    leftMs -= MAX_TIMER_MS;
  }
  await sleepOnce(leftMs, signal);
}

async function sleepOnce(delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, delayMs);
    signal.addEventListener('abort', finish, { once: true });
  });
}
