import type { ScheduleBinding } from '../../hook/binding.ts';
import { lastTick, ticksBetween } from '../../crontab/next.ts';
import { jitterOf } from '../../hook/jitter.ts';
import type { ScheduleRecord } from './record.ts';
import type { ScheduleTarget } from './targets.ts';

export interface TickMoment {
  readonly nowMs: number;
  /** Since when this process has followed the binding; ticks that were due before may have been missed. */
  readonly presentSinceMs: number;
}

/** A tick that runs later than this is made up for (`catch-up`), not on time (`tick`). */
export const LATE_MS = 60_000;
const MAX_COUNT = 10_000;

/** The ticks of a schedule that came. */
export interface Ticks {
  /** The newest tick that is due; absent when there is none. */
  readonly lastMs?: number;
  /** To be run, oldest first. */
  readonly chosenMs: readonly number[];
  readonly count: number;
  readonly isCountAtLeast: boolean;
}

export const NO_TICKS: Ticks = { chosenMs: [], count: 0, isCountAtLeast: false };

/** Chooses which of the ticks that came are run, by `missed` and the starting deadline. */
export function chooseTicks(record: ScheduleRecord, { hook, binding }: ScheduleTarget, moment: TickMoment): Ticks {
  const { crontab, missed } = binding;
  const { coveredUntilMs: fromMs, sinceMs } = record;
  const offsetMs = jitterOf(hook, binding);
  const toMs = moment.nowMs - offsetMs;
  const lastMs = lastTick(crontab, fromMs, toMs, sinceMs);
  if (lastMs === undefined) return NO_TICKS;
  const all = ticksBetween(crontab, { fromMs, toMs, limit: MAX_COUNT + 1 }, sinceMs);
  const isCountAtLeast = all.length > MAX_COUNT;
  const newest = missed.type !== 'all' ? [lastMs] : isCountAtLeast ? newestTicks(record, binding, toMs) : all;
  const limit = missed.type === 'all' ? missed.limit : 1;
  const isWanted = (tickMs: number): boolean => isInTime(tickMs + offsetMs, binding, moment);
  const chosenMs = newest.slice(-limit).filter(isWanted);
  return { lastMs, chosenMs, count: Math.min(all.length, MAX_COUNT), isCountAtLeast };
}

/** As many of the newest ticks as `missed` allows, searched from the end: for when there are too many to list. */
function newestTicks(record: ScheduleRecord, { crontab, missed }: ScheduleBinding, toMs: number): readonly number[] {
  const ticks: number[] = [];
  let beforeMs = toMs;
  const limit = missed.type === 'all' ? missed.limit : 1;
  while (ticks.length < limit) {
    const tickMs = lastTick(crontab, record.coveredUntilMs, beforeMs, record.sinceMs);
    if (tickMs === undefined) break;
    ticks.unshift(tickMs);
    beforeMs = tickMs - 1;
  }
  return ticks;
}

function isInTime(
  dueMs: number,
  { missed, startingDeadlineMs = Infinity }: ScheduleBinding,
  { nowMs, presentSinceMs }: TickMoment,
): boolean {
  if (nowMs - dueMs > startingDeadlineMs) return false;
  return missed.type !== 'skip' || nowMs - dueMs <= LATE_MS || dueMs >= presentSinceMs;
}
