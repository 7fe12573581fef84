import { firstInstant, type TimeZone } from '../../crontab/time-zone.ts';

const DAY_MS = 86_400_000;
const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?$/;
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

export interface TimeContext {
  /** The time zone of times without an offset. */
  readonly zone: TimeZone;
  readonly nowMs: number;
  /** Whether a date without a time means its first moment, or that of the next day. */
  readonly edge: 'start' | 'end';
}

/**
 * Parses `now`, an RFC 3339 time, or a date with or without a time; returns milliseconds since the epoch, or
 * `undefined`.
 */
export function parseTimeArgument(text: string, { zone, nowMs, edge }: TimeContext): number | undefined {
  if (text === 'now') return nowMs;
  if (!isDate(text.slice(0, 10))) return undefined;
  if (INSTANT.test(text)) return numberOf(Date.parse(text.replace(' ', 'T')));
  const [, date, time] = LOCAL.exec(text) ?? [];
  const wallMs = numberOf(Date.parse(`${date}T${time ?? '00:00'}Z`));
  if (wallMs === undefined) return undefined;
  return firstInstant(zone, time === undefined && edge === 'end' ? wallMs + DAY_MS : wallMs);
}

/** Whether the date exists: `Date` accepts 30 February. */
function isDate(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}

function numberOf(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
