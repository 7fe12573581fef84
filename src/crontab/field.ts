/** The allowed values of one field of a crontab. */
export interface CrontabField {
  readonly min: number;
  readonly max: number;
  /** Names in lower case, in the order of their values; the first one stands for `min`. */
  readonly names?: readonly string[];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The six fields in the order in which they are written. */
export const FIELDS = [
  { min: 0, max: 59 },
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: WEEKDAYS },
] as const satisfies readonly CrontabField[];

/**
 * Validates one field, and rewrites it for node-cron without names, stars and open ranges. Throws `SyntaxError`, worded
 * as in shell-operator.
 */
export function normalizeField(text: string, field: CrontabField): string {
  const parts = text.split(',').filter((part) => part !== '');
  if (parts.length === 0) throw new SyntaxError(`Failed to parse int from ${text}: the list is empty`);
  return parts.map((part) => normalizePart(part, field)).join(',');
}

function normalizePart(part: string, field: CrontabField): string {
  const [range = '', stepText, ...moreSteps] = part.split('/');
  if (moreSteps.length > 0) throw new SyntaxError(`Too many slashes: ${part}`);
  const { start, end } = parseRange(part, range, stepText !== undefined, field);
  checkBounds(part, { start, end }, field);
  const step = stepText === undefined ? 1 : parseStep(part, stepText);
  if (step >= end - start + 1) return String(start);
  return step === 1 ? `${start}-${end}` : `${start}-${end}/${step}`;
}

function checkBounds(part: string, { start, end }: Range, { min, max }: CrontabField): void {
  if (start < min) throw new SyntaxError(`Beginning of range (${start}) below minimum (${min}): ${part}`);
  if (end > max) throw new SyntaxError(`End of range (${end}) above maximum (${max}): ${part}`);
  if (start > end) throw new SyntaxError(`Beginning of range (${start}) beyond end of range (${end}): ${part}`);
}

function parseRange(part: string, range: string, hasStep: boolean, field: CrontabField): Range {
  const [low = '', high, ...more] = range.split('-');
  if (more.length > 0) throw new SyntaxError(`Too many hyphens: ${part}`);
  if (low === '*' || low === '?') return { start: field.min, end: field.max };
  const start = parseValue(part, low, field);
  if (high !== undefined) return { start, end: parseValue(part, high, field) };
  return { start, end: hasStep ? field.max : start };
}

function parseValue(part: string, text: string, field: CrontabField): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  return named === -1 ? parseNumber(part, text, field.names) : field.min + named;
}

/** A step above the whole range leaves the first value alone, as in shell-operator. */
function parseStep(part: string, text: string): number {
  const step = parseNumber(part, text);
  if (step === 0) throw new SyntaxError(`Step of range should be a positive number: ${part}`);
  return step;
}

function parseNumber(part: string, text: string, names?: readonly string[]): number {
  if (/^\+?\d+$/.test(text)) return Number(text);
  const expected = names === undefined ? 'a number' : `a number or one of ${names.join(', ')}`;
  throw new SyntaxError(`Failed to parse int from ${part}: got ${JSON.stringify(text)}, expected ${expected}`);
}
