import type { Crontab } from './crontab.ts';
import { lastTick, nextRun } from './next.ts';

const HOUR_MS = 3_600_000;
const GROWTH = 4;
// Longer than the longest time between two matches, such as a 29 February on a Sunday.
const MAX_WINDOW_MS = 50 * 366 * 24 * HOUR_MS;

/** Returns the time between the next two ticks, in milliseconds. */
export function nextInterval(crontab: Crontab, nowMs: number): number {
  const firstMs = nextRun(crontab, nowMs);
  return nextRun(crontab, firstMs, nowMs) - firstMs;
}

/**
 * Returns the longest regular time between two successful runs, without the duration of a run: the longer of the
 * intervals before and after the last tick, so that a schedule for working days is not late on a Monday.
 */
export function expectedInterval(crontab: Crontab, nowMs: number): number {
  if (crontab.plan.type === 'every') return crontab.plan.intervalMs;
  const lastMs = tickBefore(crontab, nowMs);
  const beforeMs = lastMs === undefined ? undefined : tickBefore(crontab, lastMs - 1);
  if (lastMs === undefined || beforeMs === undefined) return nextInterval(crontab, nowMs);
  return Math.max(lastMs - beforeMs, nextRun(crontab, lastMs) - lastMs);
}

/** Returns the last tick up to `toMs`; undefined when there is none in 50 years. */
function tickBefore(crontab: Crontab, toMs: number): number | undefined {
  for (let windowMs = HOUR_MS; windowMs <= MAX_WINDOW_MS; windowMs *= GROWTH) {
    const tickMs = lastTick(crontab, toMs - windowMs, toMs);
    if (tickMs !== undefined) return tickMs;
  }
  return undefined;
}
