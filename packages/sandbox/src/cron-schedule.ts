import { isGoDuration } from './go-duration.ts';
import { at, textAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { invalidValue, requiredValue, type Cause } from './status-error.ts';

const FIELD = 'spec.schedule';
const COUNT = 5;

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** What the values from the least on may be called. */
  readonly names?: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');
const BOUNDS: readonly Bounds[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
];
const WORDS = new Set('@yearly @annually @monthly @weekly @daily @midnight @hourly'.split(' '));
const EVERY = '@every ';
const ZONED = /^(?:CRON_)?TZ=/;

/** Validates the schedule of a CronJob; `before` is the current object of an update. */
export function cronScheduleCauses(cronJob: JsonObject, before: JsonObject | undefined): readonly Cause[] {
  const schedule = textAt(cronJob, 'spec', 'schedule');
  if (schedule === '') return [requiredValue(FIELD)];
  return [scheduleProblem(schedule), zoneProblem(schedule, cronJob, before)].flatMap((problem) =>
    problem === undefined ? [] : [invalidValue(FIELD, schedule, problem)],
  );
}

/** Only a schedule that has had a time zone in it may go on having one. */
function zoneProblem(schedule: string, cronJob: JsonObject, before: JsonObject | undefined): string | undefined {
  if (!schedule.includes('TZ')) return undefined;
  if (before === undefined || !textAt(before, 'spec', 'schedule').includes('TZ')) {
    return 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  }
  const isTwice = at(cronJob, 'spec', 'timeZone') !== undefined;
  return isTwice ? 'cannot use both timeZone field and TZ or CRON_TZ in schedule' : undefined;
}

/** Why the text is no crontab to an API server, in its words; undefined where it is one. */
export function scheduleProblem(text: string): string | undefined {
  if (!ZONED.test(text)) return plainProblem(text);
  const space = text.indexOf(' ');
  return space === -1 ? `expected a time zone and a schedule, found ${text}` : plainProblem(text.slice(space).trim());
}

function plainProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return wordProblem(schedule);
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== COUNT) return `expected exactly ${COUNT} fields, found ${fields.length}: [${fields.join(' ')}]`;
  return fields
    .flatMap((field, index) => field.split(',').map((part) => partProblem(part, BOUNDS[index])))
    .find((problem) => problem !== undefined);
}

function wordProblem(word: string): string | undefined {
  if (WORDS.has(word)) return undefined;
  if (!word.startsWith(EVERY)) return `unrecognized descriptor: ${word}`;
  const duration = word.slice(EVERY.length);
  if (isGoDuration(duration)) return undefined;
  return `failed to parse duration ${word}: time: invalid duration ${JSON.stringify(duration)}`;
}

/** Of one element of a list; an empty one counts as none. */
function partProblem(part: string, bounds: Bounds = { least: 0, most: 0 }): string | undefined {
  if (part === '') return undefined;
  const [span = '', ...steps] = part.split('/');
  const range = rangeOf(part, span, bounds);
  if (typeof range === 'string') return range;
  if (steps.length > 1) return `too many slashes: ${part}`;
  const step = numberOf(steps[0] ?? '1');
  if (typeof step === 'string') return step;
  // A single value with a step goes on to the end.
  const end = steps.length === 1 && !span.includes('-') ? bounds.most : range.end;
  return limitProblem(part, { ...range, end, step }, bounds);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The ends of a range, or what is wrong with it. After a star nothing is read. */
function rangeOf(part: string, span: string, { least, most, names }: Bounds): Range | string {
  const [first = '', last, ...more] = span.split('-');
  if (first === '*' || first === '?') return { start: least, end: most };
  const start = numberOf(first, least, names);
  if (typeof start === 'string') return start;
  if (more.length > 0) return `too many hyphens: ${part}`;
  const end = last === undefined ? start : numberOf(last, least, names);
  return typeof end === 'string' ? end : { start, end };
}

function limitProblem(
  part: string,
  { start, end, step }: Range & { readonly step: number },
  { least, most }: Bounds,
): string | undefined {
  if (start < least) return `beginning of range (${start}) below minimum (${least}): ${part}`;
  if (end > most) return `end of range (${end}) above maximum (${most}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return step === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

/** A value by its name or its digits, or what is wrong with it. */
function numberOf(text: string, least = 0, names: readonly string[] = []): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + least;
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  const parsing = `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}`;
  if (number === undefined) return `${parsing}: invalid syntax`;
  if (Math.abs(number) >= 2 ** 63) return `${parsing}: value out of range`;
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
