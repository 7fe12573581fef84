import { unreachable } from '../lib/unreachable.ts';
import type { CalendarFields, Crontab } from './crontab.ts';
import { changeBetween, findTimeZone, firstInstant, type TimeZone } from './time-zone.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
// Longer than the 40 years between two matches of a 29 February on a Sunday.
const SEARCH_DAYS = 366 * 100;

/**
 * Returns the first tick after `afterMs`; `@every` counts from `enabledMs`. When the clock changes: a fixed time that
 * is skipped runs once, at the first instant after the gap; a fixed time that occurs twice runs the first time; a
 * schedule for every hour follows the clock through both passes.
 */
export function nextRun(crontab: Crontab, afterMs: number, enabledMs = afterMs): number {
  const { plan } = crontab;
  switch (plan.type) {
    case 'every':
      return nextInterval(plan.intervalMs, afterMs, enabledMs);
    case 'calendar': {
      const zone = findTimeZone(crontab.timeZone);
      return Math.min(...plan.alternatives.map((fields) => nextTime(fields, zone, afterMs)));
    }
    default:
      return unreachable(plan);
  }
}

/** Returns the ticks in (`fromMs`, `toMs`], oldest first, at most `limit`. */
export function ticksBetween(
  crontab: Crontab,
  { fromMs, toMs, limit }: { readonly fromMs: number; readonly toMs: number; readonly limit: number },
  enabledMs = fromMs,
): readonly number[] {
  const ticks: number[] = [];
  let afterMs = fromMs;
  while (ticks.length < limit) {
    afterMs = nextRun(crontab, afterMs, enabledMs);
    if (afterMs > toMs) break;
    ticks.push(afterMs);
  }
  return ticks;
}

/** Returns the last tick in (`fromMs`, `toMs`], found by bisection, however many ticks there are. */
export function lastTick(crontab: Crontab, fromMs: number, toMs: number, enabledMs = fromMs): number | undefined {
  let lastMs = nextRun(crontab, fromMs, enabledMs);
  if (lastMs > toMs) return undefined;
  // There may be ticks after `lastMs`, and none after `endMs`.
  let endMs = toMs;
  while (lastMs < endMs) {
    const middleMs = floorTo(SECOND_MS, (lastMs + endMs) / 2);
    const tickMs = nextRun(crontab, Math.max(lastMs, middleMs), enabledMs);
    if (tickMs <= toMs) lastMs = tickMs;
    else if (middleMs <= lastMs) break;
    else endMs = middleMs;
  }
  return lastMs;
}

function nextInterval(intervalMs: number, afterMs: number, enabledMs: number): number {
  const startMs = floorTo(SECOND_MS, enabledMs);
  const passed = Math.floor((afterMs - startMs) / intervalMs);
  return startMs + Math.max(1, passed + 1) * intervalMs;
}

function nextTime(fields: CalendarFields, zone: TimeZone, afterMs: number): number {
  const isEveryHour = fields.hours.length === 24;
  return isEveryHour ? nextOfEveryHour(fields, zone, afterMs) : nextOfFixedHours(fields, zone, afterMs);
}

/** Each matching wall time has one instant, so wall times are tried in order until one is in the future. */
function nextOfFixedHours(fields: CalendarFields, zone: TimeZone, afterMs: number): number {
  const nowMs = floorTo(SECOND_MS, afterMs);
  let wallMs = nextWallTime(fields, nowMs + zone.offsetAt(nowMs));
  for (;;) {
    const instantMs = firstInstant(zone, wallMs);
    if (instantMs > afterMs) return instantMs;
    wallMs = nextWallTime(fields, wallMs + SECOND_MS);
  }
}

/** Searches from one change of the offset to the next. */
function nextOfEveryHour(fields: CalendarFields, zone: TimeZone, afterMs: number): number {
  let fromMs = floorTo(SECOND_MS, afterMs);
  let wallMs = fromMs + zone.offsetAt(fromMs) + SECOND_MS;
  for (;;) {
    const offsetMs = zone.offsetAt(fromMs);
    const instantMs = nextWallTime(fields, wallMs) - offsetMs;
    if (zone.offsetAt(instantMs) === offsetMs) return instantMs;
    fromMs = changeBetween(zone, fromMs, instantMs);
    wallMs = fromMs + zone.offsetAt(fromMs);
    // When only the beginning of an hour is skipped (Lord Howe), a tick in it runs at the first instant after the gap.
    const skippedMs = Math.max(fromMs + offsetMs, floorTo(HOUR_MS, wallMs));
    if (nextWallTime(fields, skippedMs) < wallMs) return fromMs;
  }
}

/** Returns the first matching wall time at or after `fromMs`, which is a whole second. */
function nextWallTime(fields: CalendarFields, fromMs: number): number {
  const firstDay = Math.floor(fromMs / DAY_MS);
  for (let day = firstDay; day < firstDay + SEARCH_DAYS; day++) {
    if (!matchesDay(fields, new Date(day * DAY_MS))) continue;
    const fromSecond = day === firstDay ? (fromMs - day * DAY_MS) / SECOND_MS : 0;
    const second = nextSecondOfDay(fields, fromSecond);
    if (second !== undefined) return day * DAY_MS + second * SECOND_MS;
  }
  throw new RangeError(`no day matches: ${JSON.stringify(fields)}`);
}

function matchesDay({ daysOfMonth, months, daysOfWeek }: CalendarFields, date: Date): boolean {
  return (
    months.includes(date.getUTCMonth() + 1) &&
    daysOfMonth.includes(date.getUTCDate()) &&
    daysOfWeek.includes(date.getUTCDay())
  );
}

function nextSecondOfDay({ hours, minutes, seconds }: CalendarFields, fromSecond: number): number | undefined {
  const fromMinute = Math.floor(fromSecond / 60);
  for (const hour of hours) {
    if (hour * 60 + 59 < fromMinute) continue;
    for (const minute of minutes) {
      const minuteOfDay = hour * 60 + minute;
      if (minuteOfDay < fromMinute) continue;
      const second = seconds.find((value) => minuteOfDay * 60 + value >= fromSecond);
      if (second !== undefined) return minuteOfDay * 60 + second;
    }
  }
  return undefined;
}

function floorTo(unitMs: number, valueMs: number): number {
  return Math.floor(valueMs / unitMs) * unitMs;
}
