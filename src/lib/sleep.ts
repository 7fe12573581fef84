import { clearOuterTimeout, setOuterTimeout } from './outer-time.ts';

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

/** As `sleep`, always in wall time, also where a test drives the clock, for what measures or supervises processes; at most 24 days. */
export async function sleepOutside(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleepOnce(delayMs, signal, OUTER);
}

interface Timers {
  readonly set: (act: () => void, delayMs: number) => NodeJS.Timeout;
  readonly clear: (timer: NodeJS.Timeout) => void;
}

const OUTER: Timers = { set: setOuterTimeout, clear: clearOuterTimeout };
// Looked up at each call: tests and worlds replace the globals.
const OWN: Timers = {
  set: (act, delayMs) => setTimeout(act, delayMs),
  clear: (timer) => clearTimeout(timer),
};

async function sleepOnce(delayMs: number, signal: AbortSignal, timers = OWN): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      timers.clear(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = timers.set(finish, delayMs);
    signal.addEventListener('abort', finish, { once: true });
  });
}
