import { parse } from 'node-cron';
import { FIELDS, normalizeField } from './field.ts';
import { parseDuration } from '../lib/duration.ts';
import { isTimeZone } from './time-zone.ts';

/** A parsed crontab; `source` is the text as written. */
export interface Crontab {
  readonly source: string;
  /** IANA name from `TZ=`; when absent, the local time zone of the process. */
  readonly timeZone?: string;
  readonly plan: CrontabPlan;
}

/** When a crontab is due: at a fixed interval, or at calendar times. */
export type CrontabPlan =
  | { readonly type: 'every'; readonly intervalMs: number }
  /** Matches whenever one of the alternatives does. */
  | { readonly type: 'calendar'; readonly alternatives: readonly [CalendarFields, ...CalendarFields[]] };

/** The allowed values of each field, ascending; a time matches when all six do. */
export interface CalendarFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly daysOfWeek: readonly number[];
}

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 *',
  '@annually': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@midnight': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
};
/** A list of all minutes has 160 characters. */
const MAX_LENGTH = 1000;
const MIN_INTERVAL_MS = 1000;
const DAY_OF_MONTH = 3;
const DAY_OF_WEEK = 5;

/**
 * Parses a crontab in the grammar of shell-operator: 5 fields, 6 with leading seconds, a descriptor, or `@every
 * <duration>`, after an optional `TZ=Area/City`. Throws `SyntaxError`, worded as in shell-operator, also for a date
 * that never occurs.
 */
export function parseCrontab(source: string): Crontab {
  if (source.length > MAX_LENGTH) {
    throw new SyntaxError(`Expected at most ${MAX_LENGTH} characters, found ${source.length}`);
  }
  const { timeZone, spec } = splitTimeZone(source.trim());
  const plan = spec.startsWith('@') ? parseDescriptor(spec) : parseFields(spec);
  return timeZone === undefined ? { source, plan } : { source, timeZone, plan };
}

function splitTimeZone(text: string): { readonly timeZone?: string; readonly spec: string } {
  const match = /^(?:CRON_)?TZ=(\S*)\s*(.*)$/s.exec(text);
  if (match === null) return { spec: text };
  const [, location = '', spec = ''] = match;
  if (location === 'Local') return { spec };
  const timeZone = location === '' ? 'UTC' : location;
  if (!isTimeZone(timeZone)) {
    throw new SyntaxError(`Provided bad location ${location}: expected an IANA time zone such as Europe/Berlin`);
  }
  return { timeZone, spec };
}

function parseDescriptor(spec: string): CrontabPlan {
  const every = /^@every\s+(.*)$/.exec(spec)?.[1];
  if (every !== undefined) return parseEvery(spec, every);
  const fields = DESCRIPTORS[spec];
  if (fields === undefined) {
    throw new SyntaxError(
      `Unrecognized descriptor: ${spec}; expected ${Object.keys(DESCRIPTORS).join(', ')} or @every`,
    );
  }
  return parseFields(fields);
}

function parseEvery(spec: string, duration: string): CrontabPlan {
  const durationMs = parseDuration(duration);
  if (durationMs === undefined) {
    throw new SyntaxError(`Failed to parse duration ${spec}: expected one of up to 87600h, such as 90s or 1h30m`);
  }
  const wholeSecondsMs = Math.floor(durationMs / 1000) * 1000;
  return { type: 'every', intervalMs: Math.max(MIN_INTERVAL_MS, wholeSecondsMs) };
}

function parseFields(spec: string): CrontabPlan {
  const texts = spec.split(/\s+/).filter((text) => text !== '');
  if (texts.length !== 5 && texts.length !== 6) {
    throw new SyntaxError(`Expected 5 or 6 fields, found ${texts.length}: ${spec}`);
  }
  const withSeconds = texts.length === 5 ? ['0', ...texts] : texts;
  const normal = withSeconds.map((text, index) => normalizeField(text, FIELDS[index] ?? FIELDS[0]));
  // A day matches when both of its fields do; when neither field has a star, one of them is enough.
  const isEither = [withSeconds[DAY_OF_MONTH], withSeconds[DAY_OF_WEEK]].every((text) => text?.search(/[*?]/) === -1);
  return { type: 'calendar', alternatives: isEither ? expandEither(normal, spec) : [expand(normal, spec)] };
}

function expandEither(normal: readonly string[], spec: string): readonly [CalendarFields, ...CalendarFields[]] {
  const byWeekday = expand(normal.with(DAY_OF_MONTH, '*'), spec);
  // The day of month may not exist in these months: then only the days of the week remain.
  const byMonthday = tryExpand(normal.with(DAY_OF_WEEK, '*'));
  return byMonthday === undefined ? [byWeekday] : [byWeekday, byMonthday];
}

/** Expands normalized fields with node-cron, which also refuses dates that never occur. */
function expand(normal: readonly string[], spec: string): CalendarFields {
  const fields = tryExpand(normal);
  if (fields === undefined) throw new SyntaxError(`The day of month never comes in the given months: ${spec}`);
  return fields;
}

function tryExpand(normal: readonly string[]): CalendarFields | undefined {
  try {
    const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parse(normal.join(' '));
    return {
      seconds: ascending(second),
      minutes: ascending(minute),
      hours: ascending(hour),
      daysOfMonth: ascending(dayOfMonth),
      months: ascending(month),
      daysOfWeek: ascending(dayOfWeek),
    };
  } catch {
    // Every field was validated before, so the only reason left is an impossible date.
    return undefined;
  }
}

function ascending(values: readonly (number | string)[]): readonly number[] {
  return [...new Set(values.map(Number))].toSorted((a, b) => a - b);
}
