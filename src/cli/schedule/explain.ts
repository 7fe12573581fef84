import { stringify } from 'yaml';
import { UsageError } from '../../errors.ts';
import { parseCrontab, type Crontab } from '../../crontab/crontab.ts';
import { ticksBetween } from '../../crontab/next.ts';
import { crontabWords } from '../../crontab/words.ts';
import { nearest } from '../../hook/nearest.ts';
import { tickEffect, type TickEffect } from '../../crontab/tick-effect.ts';
import { findTimeZone, isTimeZone, type TimeZone } from '../../crontab/time-zone.ts';
import { durationText } from '../../lib/duration-text.ts';
import { outputFormat } from '../options/output-format.ts';
import { parseTimeArgument } from './time-argument.ts';

export interface ExplainOptions {
  /** The arguments as given: several words if the crontab was not quoted. */
  readonly crontab: readonly string[];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly zone?: string | undefined;
  readonly count?: string | undefined;
  readonly output?: string | undefined;
  readonly nowMs: number;
}

const DEFAULT_COUNT = 10;
const MAX_COUNT = 1000;
// Ticks are searched up to this year.
const LATEST_MS = Date.UTC(9999, 0);
const MAX_NAMED = 3;

/** The output of `hooklet schedule explain`: the meaning of the crontab, and its ticks; throws `UsageError`. */
export function explainSchedule(options: ExplainOptions): string {
  const format = outputFormat(options.output);
  const explained = explain(options);
  if (format === 'json') return `${JSON.stringify(documentOf(explained), undefined, 2)}\n`;
  return format === 'yaml' ? stringify(documentOf(explained)) : textOf(explained);
}

interface Tick {
  readonly local: string;
  readonly weekday: string;
  readonly utc: string;
  readonly effect: string | undefined;
}

interface Interval {
  readonly minMs: number;
  readonly typicalMs: number;
  readonly maxMs: number;
}

interface Explained {
  readonly crontab: Crontab;
  readonly zone: string;
  readonly words: string;
  readonly fromMs: number;
  readonly ticks: readonly Tick[];
  readonly interval: Interval | undefined;
  /** Whether there are more ticks than shown, and the end of the range. */
  readonly more: 'none' | 'after-count' | 'in-range';
}

function explain(options: ExplainOptions): Explained {
  const crontab = readCrontab(options);
  const zone = findTimeZone(crontab.timeZone);
  const { nowMs } = options;
  const fromMs = readTime('--from', options.from, { zone, nowMs, edge: 'start' }) ?? nowMs;
  const toMs = readTime('--to', options.to, { zone, nowMs, edge: 'end' });
  if (toMs !== undefined && toMs < fromMs) {
    throw new UsageError(`--to: got ${JSON.stringify(options.to)}, expected a time after ${rfc3339(fromMs, zone)}`);
  }
  const count = readCount(options.count) ?? (toMs === undefined ? DEFAULT_COUNT : MAX_COUNT);
  // Both ends of the range are inclusive.
  const range = { fromMs: fromMs - 1, toMs: toMs ?? LATEST_MS, limit: count + 1 };
  const found = ticksBetween(crontab, range, fromMs);
  const shown = found.slice(0, count);
  const isMore = found.length > count;
  return {
    crontab,
    zone: crontab.timeZone ?? `${new Intl.DateTimeFormat().resolvedOptions().timeZone}, that of this machine`,
    words: crontabWords(crontab),
    fromMs,
    ticks: shown.map((tickMs) => tickOf(crontab, zone, tickMs)),
    interval: intervalOf(shown),
    more: isMore ? (toMs === undefined ? 'after-count' : 'in-range') : 'none',
  };
}

function readCrontab({ crontab: words, zone }: ExplainOptions): Crontab {
  const text = words.join(' ');
  const crontab = parsed(text, words.length > 1);
  if (zone === undefined) return crontab;
  if (crontab.timeZone !== undefined) {
    throw new UsageError(`--zone: got ${JSON.stringify(zone)}, but the crontab has the time zone ${crontab.timeZone}`);
  }
  if (!isTimeZone(zone) || zone === '') {
    const near = nearest(zone, Intl.supportedValuesOf('timeZone'));
    const hint = near === undefined ? 'an IANA time zone such as Europe/Berlin' : `an IANA time zone: ${near}?`;
    throw new UsageError(`--zone: got ${JSON.stringify(zone)}, expected ${hint}`);
  }
  return { ...crontab, timeZone: zone };
}

function parsed(text: string, isUnquoted: boolean): Crontab {
  try {
    return parseCrontab(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const hint = isUnquoted ? '; put it into quotes, or the shell may put file names in the place of *' : '';
    throw new UsageError(`crontab ${JSON.stringify(text)}: ${cause.message}${hint}`, { cause });
  }
}

function readTime(
  flag: string,
  text: string | undefined,
  context: Parameters<typeof parseTimeArgument>[1],
): number | undefined {
  if (text === undefined) return undefined;
  const timeMs = parseTimeArgument(text, context);
  if (timeMs !== undefined) return timeMs;
  const expected = 'now, a date such as 2026-03-29, a time such as 2026-03-29T02:30, or one with an offset or Z';
  throw new UsageError(`${flag}: got ${JSON.stringify(text)}, expected ${expected}`);
}

function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_COUNT) return count;
  throw new UsageError(`--count: got ${JSON.stringify(text)}, expected a whole number from 1 to ${MAX_COUNT}`);
}

function tickOf(crontab: Crontab, zone: TimeZone, tickMs: number): Tick {
  const effect = tickEffect(crontab, tickMs);
  const wall = new Date(tickMs + zone.offsetAt(tickMs));
  return {
    local: rfc3339(tickMs, zone),
    weekday: wall.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' }),
    utc: new Date(tickMs).toISOString().replace('.000Z', 'Z'),
    effect: effect === undefined ? undefined : effectText(effect, wall.getTime()),
  };
}

function effectText(effect: TickEffect, wallMs: number): string {
  if (effect.type === 'twice') return `comes twice, runs ${effect.runs}`;
  const times = effect.wallMs.map(clockText);
  const named = times.length <= MAX_NAMED ? times.join(', ') : `${times[0]} to ${times.at(-1)}, ${times.length} times`;
  return `clock skips ${named}: runs${times.length > 1 ? ' once' : ''} at ${clockText(wallMs)}`;
}

function clockText(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(11, 19).replace(/:00$/, '');
}

function rfc3339(timeMs: number, zone: TimeZone): string {
  const offsetMs = zone.offsetAt(timeMs);
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((value) => String(value).padStart(2, '0'));
  return `${new Date(timeMs + offsetMs).toISOString().slice(0, 19)}${offsetMs < 0 ? '-' : '+'}${hours}:${rest}`;
}

function intervalOf(ticks: readonly number[]): Interval | undefined {
  const gaps = ticks.slice(1).map((tickMs, index) => tickMs - (ticks[index] ?? tickMs));
  const sorted = gaps.toSorted((a, b) => a - b);
  const [minMs] = sorted;
  if (minMs === undefined) return undefined;
  return { minMs, typicalMs: sorted[Math.floor((sorted.length - 1) / 2)] ?? minMs, maxMs: sorted.at(-1) ?? minMs };
}

function documentOf({ crontab, zone, words, ticks, interval, more }: Explained): unknown {
  return {
    crontab: crontab.source,
    timeZone: crontab.timeZone ?? zone.replace(/,.*/, ''),
    words,
    ...(interval !== undefined && {
      intervalSeconds: {
        min: interval.minMs / 1000,
        typical: interval.typicalMs / 1000,
        max: interval.maxMs / 1000,
      },
    }),
    ticks: ticks.map(({ local, utc, effect }) => ({ local, utc, ...(effect !== undefined && { effect }) })),
    more: more !== 'none',
  };
}

function textOf({ crontab, zone, words, fromMs, ticks, interval, more }: Explained): string {
  const head = [
    ['crontab', crontab.source],
    ['means', words],
    ['zone', zone],
    ...(interval === undefined ? [] : [['interval', intervalText(interval)]]),
  ].map(([name = '', value = '']) => `${name.padEnd(10)}${value}\n`);
  const lines = ticks.map(
    ({ local, weekday, utc, effect }) =>
      `${weekday} ${local.replace('T', ' ').replace(/([+-]\d\d:\d\d)$/, ' $1')}   ${utc}${effect === undefined ? '' : `   ${effect}`}\n`,
  );
  return `${head.join('')}\n${lines.join('')}${endText(ticks.length, more, fromMs)}`;
}

function intervalText({ minMs, typicalMs, maxMs }: Interval): string {
  if (minMs === maxMs) return `every ${durationText(typicalMs)}`;
  return `about every ${durationText(typicalMs)} (${durationText(minMs)} to ${durationText(maxMs)})`;
}

function endText(shown: number, more: Explained['more'], fromMs: number): string {
  const from = new Date(fromMs).toISOString().replace(/\.\d+Z$/, 'Z');
  if (more === 'after-count') return `\nThe next ${shown} from ${from}; --count or --to show more.\n`;
  if (more === 'in-range') return `\nThe first ${shown} of more in this range; --count shows up to ${MAX_COUNT}.\n`;
  return shown === 0 ? 'No ticks in this range.\n' : `\n${shown} in this range.\n`;
}
