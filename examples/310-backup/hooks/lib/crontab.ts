// Crontabs as a CronJob reads them: five fields, names of months and days, and @daily and its like.

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');
const WORDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const DAY_MS = 86_400_000;
/** Clocks are changed by less. */
const CHANGE_MS = 3 * 3_600_000;
/** A 29th of February on a given day of the week comes within 40 years, also across 2100. */
const SEARCH_DAYS = 40 * 366;

/** The values that match, in order. */
interface Crontab {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly isDay: (date: Date) => boolean;
}

/** The first tick after an instant, or undefined where none ever comes. Throws for what is no crontab. */
export function nextTick(schedule: string, timeZone: string, afterMs: number): number | undefined {
  const { minutes, hours, isDay } = parse(schedule);
  const offset = offsets(timeZone);
  const now = afterMs + offset(afterMs);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  for (let wall = today; wall < today + SEARCH_DAYS * DAY_MS; wall += DAY_MS) {
    if (!isDay(new Date(wall))) continue;
    const times = hours.flatMap((hour) => minutes.map((minute) => wall + (hour * 60 + minute) * 60_000));
    for (const time of times) {
      // What the clock skips in spring is no tick, and in autumn an hour comes twice.
      const found = time > now - CHANGE_MS ? instants(time, offset).find((instant) => instant > afterMs) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Why a CronJob with this schedule and time zone would never run; undefined where it does. */
export function whyNever(schedule: string, timeZone: string, nowMs: number): string | undefined {
  try {
    offsets(timeZone);
  } catch {
    return `there is no time zone "${timeZone}": give one such as Europe/Berlin, or Etc/UTC`;
  }
  try {
    if (nextTick(schedule, timeZone, nowMs) !== undefined) return undefined;
    return `the schedule "${schedule}" never comes: there is no such day in these months`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `the schedule "${schedule}" is no crontab: ${why}: give five fields such as "0 3 * * *", or @daily`;
  }
}

function parse(schedule: string): Crontab {
  const fields = (WORDS[schedule] ?? schedule).trim().toLowerCase().split(/\s+/);
  if (fields.length !== 5) throw new Error(`it has ${fields.length} field(s)`);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const days = values(day, 1, 31);
  const months = values(month, 1, 12, MONTHS);
  const weekdays = values(weekday, 0, 6, DAYS);
  const isAny = [day, weekday].some(isStar);
  return {
    minutes: values(minute, 0, 59),
    hours: values(hour, 0, 23),
    isDay: (date) => {
      const matches = [days.includes(date.getUTCDate()), weekdays.includes(date.getUTCDay())];
      return months.includes(date.getUTCMonth() + 1) && (isAny ? matches.every(Boolean) : matches.some(Boolean));
    },
  };
}

/** As a CronJob reads it: one star in a list is enough, and a star with a step is none. */
function isStar(field: string): boolean {
  return field.split(',').some((part) => /^[*?](?:\/1)?$/.test(part));
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}

function values(field: string, least: number, most: number, names: readonly string[] = []): readonly number[] {
  const found = field.split(',').flatMap((part) => valuesOf(part, { least, most, names }));
  return [...new Set(found)].toSorted((a, b) => a - b);
}

/** A value, a range or a star, with a step or without. */
function valuesOf(part: string, bounds: Bounds): readonly number[] {
  const [, range = '', , step] = /^([^/]*)(\/([1-9]\d?))?$/.exec(part) ?? [];
  const { least, most } = bounds;
  const ends = range.replace(/^[*?]$/, `${least}-${most}`).split('-');
  if (ends.length > 2) throw new Error(`"${part}" has more than one hyphen`);
  const first = valueOf(ends[0] ?? '', bounds);
  const last = valueOf(ends[1] ?? (step === undefined ? ends[0] : String(most)) ?? '', bounds);
  if (last < first) throw new Error(`"${part}" ends before it begins`);
  const by = Number(step ?? 1);
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, at) => first + at * by);
}

function valueOf(text: string, { least, most, names }: Bounds): number {
  const named = names.indexOf(text);
  const found = named === -1 ? Number(text) : named + least;
  if (/^([a-z]{3}|\d{1,2})$/.test(text) && found >= least && found <= most) return found;
  throw new Error(`"${text}" is not from ${least} to ${most}`);
}

/** What the clocks of a time zone are ahead of UTC by, at an instant, in milliseconds. */
function offsets(timeZone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (instantMs) => {
    const [, sign = '', hours = 0, minutes = 0] = /GMT(?:([+-])(\d+):(\d+))?/.exec(format.format(instantMs)) ?? [];
    const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return sign === '-' ? -ms : ms;
  };
}

/** When the clock shows a wall time: never, once, or twice. */
function instants(wall: number, offset: (instantMs: number) => number): readonly number[] {
  const guesses = [wall - offset(wall - DAY_MS), wall - offset(wall + DAY_MS)];
  return [...new Set(guesses)].filter((time) => time + offset(time) === wall).toSorted((a, b) => a - b);
}
