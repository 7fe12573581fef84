import { sleep } from './sleep.ts';

const LOOK_MS = 1000;
const CLOSE_LOOK_MS = 10;
const BUSY_SHARE = 0.05;

export interface LoopObserver {
  /** How late a timer fired: so long nothing else could begin either. */
  readonly onDelay: (delayMs: number) => void;
  /** For how long the event loop did not wait since this was called last; about once a second. */
  readonly onBusy: (busyMs: number) => void;
}

/**
 * Looks at the event loop until `signal` aborts: every 10 ms while it has been busy for 5 % of the last second, else once a
 * second, since an idle process is not to be kept awake by being watched.
 */
export async function watchLoop({ onDelay, onBusy }: LoopObserver, signal: AbortSignal): Promise<void> {
  let since = performance.eventLoopUtilization();
  let periodMs = LOOK_MS;
  while (!signal.aborted) {
    const dueMs = performance.now() + periodMs;
    await sleep(periodMs, signal);
    if (signal.aborted) return;
    onDelay(Math.max(0, performance.now() - dueMs));
    const { active, idle, utilization } = performance.eventLoopUtilization(since);
    if (active + idle < LOOK_MS) continue;
    since = performance.eventLoopUtilization();
    periodMs = utilization > BUSY_SHARE ? CLOSE_LOOK_MS : LOOK_MS;
    onBusy(active);
  }
}
