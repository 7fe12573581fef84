import { vi } from 'vitest';

const POLL_MS = 10;

/**
 * Holds a promise of the product: `check` must stop throwing before `limitMs` of wall time are over, however busy the
 * machine is. A failure says how long it took instead, where that is no more than twice the limit.
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

/** The same under fake timers: time passes here alone, so that the limit is held to the millisecond. */
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
