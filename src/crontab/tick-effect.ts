import type { CalendarFields, Crontab } from './crontab.ts';
import { findTimeZone, type TimeZone } from './time-zone.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The effect of a clock change on one tick. Wall times are milliseconds as if the clock were in UTC. */
export type TickEffect =
  /** The clock skips these wall times; the tick replaces them, once, at the end of the gap. */
  | { readonly type: 'skipped'; readonly wallMs: readonly [number, ...number[]] }
  /** The clock shows the tick's wall time twice. */
  | { readonly type: 'twice'; readonly runs: 'the first time' | 'both times' };

/** Returns the effect of a clock change on the tick at `tickMs`; undefined when there is none. */
export function tickEffect({ plan, timeZone }: Crontab, tickMs: number): TickEffect | undefined {
  if (plan.type === 'every') return undefined;
  const zone = findTimeZone(timeZone);
  const [first, ...more] = [...new Set(plan.alternatives.flatMap((fields) => skippedBefore(fields, zone, tickMs)))];
  if (first !== undefined) return { type: 'skipped', wallMs: [first, ...more] };
  if (!isShownTwice(zone, tickMs)) return undefined;
  const followsClock = plan.alternatives.some(isEveryHour);
  return { type: 'twice', runs: followsClock ? 'both times' : 'the first time' };
}

/** Returns the matching wall times that the clock skips just before `tickMs`. */
function skippedBefore(fields: CalendarFields, zone: TimeZone, tickMs: number): readonly number[] {
  const wallMs = tickMs + zone.offsetAt(tickMs);
  const gapMs = tickMs + zone.offsetAt(tickMs - SECOND_MS);
  // A schedule for every hour follows the clock and loses skipped times, except those in the hour that the clock
  // enters.
  const fromMs = isEveryHour(fields) ? Math.max(gapMs, Math.floor(wallMs / HOUR_MS) * HOUR_MS) : gapMs;
  const skipped: number[] = [];
  for (let skippedMs = fromMs; skippedMs < wallMs; skippedMs += SECOND_MS) {
    if (matches(fields, new Date(skippedMs))) skipped.push(skippedMs);
  }
  return skipped;
}

function matches(fields: CalendarFields, wall: Date): boolean {
  return (
    fields.seconds.includes(wall.getUTCSeconds()) &&
    fields.minutes.includes(wall.getUTCMinutes()) &&
    fields.hours.includes(wall.getUTCHours()) &&
    fields.daysOfMonth.includes(wall.getUTCDate()) &&
    fields.months.includes(wall.getUTCMonth() + 1) &&
    fields.daysOfWeek.includes(wall.getUTCDay())
  );
}

function isShownTwice(zone: TimeZone, tickMs: number): boolean {
  const wallMs = tickMs + zone.offsetAt(tickMs);
  return [zone.offsetAt(tickMs - DAY_MS), zone.offsetAt(tickMs + DAY_MS)].some((offsetMs) => {
    const otherMs = wallMs - offsetMs;
    return otherMs !== tickMs && otherMs + zone.offsetAt(otherMs) === wallMs;
  });
}

function isEveryHour({ hours }: CalendarFields): boolean {
  return hours.length === 24;
}
