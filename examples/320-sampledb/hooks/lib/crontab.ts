interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly words: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const FIELDS: readonly Field[] = [
  { name: 'minute', from: 0, to: 59, words: [] },
  { name: 'hour', from: 0, to: 23, words: [] },
  { name: 'day of the month', from: 1, to: 31, words: [] },
  { name: 'month', from: 1, to: 12, words: MONTHS },
  { name: 'day of the week', from: 0, to: 6, words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const NAMED = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
// February has its 29th day now and then.
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Why a CronJob would not take a schedule, or would never run; undefined for a good one. */
export function crontabProblem(schedule: string): string | undefined {
  if (NAMED.includes(schedule)) return undefined;
  const texts = schedule.trim().split(/\s+/);
  if (texts.length !== FIELDS.length) return `expected five fields such as 0 3 * * *, or one of ${NAMED.join(' ')}`;
  const sets = FIELDS.map((field, at) => valuesOf(texts[at] ?? '', field));
  const bad = FIELDS.find((_, at) => sets[at] === undefined);
  if (bad !== undefined)
    return `whose ${bad.name} is none: expected ${bad.from} to ${bad.to}, *, lists, ranges and steps`;
  const [, , days = [], months = []] = sets;
  // Where both days are given, either of them is enough.
  if (![texts[2], texts[4]].some(isStar)) return undefined;
  if (months.some((month) => days.some((day) => day <= (DAYS[month - 1] ?? 0)))) return undefined;
  return 'which is no day of any year: no backup would ever be taken';
}

// As a CronJob reads it: one star in a list is enough, and a star with a step is none.
function isStar(text = ''): boolean {
  return text.split(',').some((part) => /^[*?](?:\/1)?$/.test(part));
}

function valuesOf(text: string, field: Field): readonly number[] | undefined {
  const parts = text.split(',').map((part) => rangeOf(part, field));
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

function rangeOf(part: string, field: Field): readonly number[] | undefined {
  const written = part.replace(/^[*?]/, `${field.from}-${field.to}`);
  const [, first = '', to, step] = /^(\w+)(?:-(\w+))?(?:\/([1-9]\d{0,2}))?$/.exec(written) ?? [];
  // A number with a step goes on to the end.
  const last = to ?? (step === undefined ? first : String(field.to));
  const [from, end, by] = [numberOf(first, field), numberOf(last, field), Number(step ?? 1)];
  if (from === undefined || end === undefined || end < from) return undefined;
  return Array.from({ length: Math.floor((end - from) / by) + 1 }, (_, at) => from + at * by);
}

function numberOf(text: string, { from, to, words }: Field): number | undefined {
  const word = words.indexOf(text.toLowerCase());
  const number = word === -1 ? (/^\d{1,2}$/.test(text) ? Number(text) : -1) : word + from;
  return number >= from && number <= to ? number : undefined;
}
