import { outerNow } from './outer-time.ts';
import { sleepOutside } from './sleep.ts';

const LOOK_MS = 1000;
const CLOSE_LOOK_MS = 10;
const BUSY_SHARE = 0.05;

/** Receives the measurements of the event loop. */
export interface LoopObserver {
  /** Called with the delay of a timer: the event loop was blocked for that long. */
  readonly onDelay: (delayMs: number) => void;
  /** Called about once a second with the time that the event loop was busy since the last call. */
  readonly onBusy: (busyMs: number) => void;
}

/**
 * Measures the event loop until `signal` aborts: every 10 ms while it was busy for more than 5 % of the last second,
 * else once a second, because the measurement must not keep an idle process awake.
 */
export async function watchLoop({ onDelay, onBusy }: LoopObserver, signal: AbortSignal): Promise<void> {
  let since = performance.eventLoopUtilization();
  let periodMs = LOOK_MS;
  while (!signal.aborted) {
    const dueMs = outerNow() + periodMs;
    await sleepOutside(periodMs, signal);
    if (signal.aborted) return;
    onDelay(Math.max(0, outerNow() - dueMs));
    const { active, idle, utilization } = performance.eventLoopUtilization(since);
    if (active + idle < LOOK_MS) continue;
    since = performance.eventLoopUtilization();
    periodMs = utilization > BUSY_SHARE ? CLOSE_LOOK_MS : LOOK_MS;
    onBusy(active);
  }
}
