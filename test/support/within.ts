import { vi } from 'vitest';

const POLL_MS = 10;

/**
 * Checks a promise of the product: `check` must stop throwing within `limitMs` of wall time, however busy the machine
 * is. The failure reports how long it took, if that is at most twice the limit.
 */
export async function within(limitMs: number, check: () => void | Promise<void>): Promise<void> {
  const beganAt = performance.now();
  for (;;) {
    const failure = await failureOf(check);
    const tookMs = performance.now() - beganAt;
    if (failure === undefined && tookMs <= limitMs) return;
    if (failure === undefined) throw new Error(`it took ${Math.round(tookMs)} ms, and ${limitMs} ms are promised`);
    if (tookMs > 2 * limitMs) throw failure.error;
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}

/** The same under fake timers: time advances only here, so the limit is exact to the millisecond. */
export async function withinVirtual(limitMs: number, check: () => void | Promise<void>): Promise<void> {
  for (let passedMs = 0; ;) {
    const failure = await failureOf(check);
    if (failure === undefined) return;
    if (passedMs >= limitMs) throw failure.error;
    const stepMs = Math.min(POLL_MS, limitMs - passedMs);
    await vi.advanceTimersByTimeAsync(stepMs);
    passedMs += stepMs;
  }
}

async function failureOf(check: () => void | Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return { error };
  }
}
