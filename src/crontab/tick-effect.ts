import type { CalendarFields, Crontab } from './crontab.ts';
import { findTimeZone, type TimeZone } from './time-zone.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What a change of the clock does to one tick. Wall times are milliseconds as if the clock stood in UTC. */
export type TickEffect =
  /** The clock skips these wall times: the tick stands for them, once, at the end of the gap. */
  | { readonly type: 'skipped'; readonly wallMs: readonly [number, ...number[]] }
  /** The clock shows the tick's wall time twice. */
  | { readonly type: 'twice'; readonly runs: 'the first time' | 'both times' };

/** What a change of the clock does to the tick at `tickMs`; undefined where nothing does. */
export function tickEffect({ plan, timeZone }: Crontab, tickMs: number): TickEffect | undefined {
  if (plan.type === 'every') return undefined;
  const zone = findTimeZone(timeZone);
  const [first, ...more] = [...new Set(plan.alternatives.flatMap((fields) => skippedBefore(fields, zone, tickMs)))];
  if (first !== undefined) return { type: 'skipped', wallMs: [first, ...more] };
  if (!isShownTwice(zone, tickMs)) return undefined;
  const followsClock = plan.alternatives.some(isEveryHour);
  return { type: 'twice', runs: followsClock ? 'both times' : 'the first time' };
}

/** The wall times that match, and that the clock skips on its way to `tickMs`. */
function skippedBefore(fields: CalendarFields, zone: TimeZone, tickMs: number): readonly number[] {
  const wallMs = tickMs + zone.offsetAt(tickMs);
  const gapMs = tickMs + zone.offsetAt(tickMs - SECOND_MS);
  // One of every hour follows the clock: it misses what is skipped, but for the beginning of an hour that comes.
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
