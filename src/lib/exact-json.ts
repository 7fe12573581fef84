/**
 * Parses JSON so that `JSON.stringify` writes each number as it was: a number that a double cannot hold is kept as its
 * text. Throws `SyntaxError`.
 */
export function parseExactJson(text: string): unknown {
  // Reading with a reviver takes several times as long, and few texts have such a number.
  if (!LONG_NUMBER.test(text)) return json.parse(text);
  try {
    return json.parse(text, keepExact);
  } catch (error) {
    // Without a reviver the parser does not recurse, so it takes deeper values.
    if (error instanceof RangeError) return json.parse(text);
    throw error;
  }
}

/** Whether JSON text may have a whole number with more digits than a double holds; it may also be within a string. */
export function hasLongNumber(text: string): boolean {
  return /\d{16}/.test(text);
}

/** The whole number of decimal digits, which `JSON.stringify` writes as it was. */
export function exactInteger(digits: string): unknown {
  const rounded = Number(digits);
  return Number.isSafeInteger(rounded) ? rounded : json.rawJSON(digits);
}

/** Whether a value is a number that is kept as its text. */
export function isExactNumber(value: unknown): boolean {
  return json.isRawJSON(value);
}

/** The text of a number that is kept as its text. */
export function exactText(value: unknown): string {
  return JSON.stringify(value);
}

/** 16 digits are the first that may be more than a double can hold. */
const LONG_NUMBER = /\d[\d.]{15}|[eE][+-]?\d{3}/;

/** What JavaScript has, and TypeScript's declarations lack. */
interface ExactJson {
  parse(text: string, revive?: (key: string, value: unknown, context: Source) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

const json = JSON as unknown as ExactJson;

interface Source {
  readonly source?: string;
}

function keepExact(_key: string, value: unknown, { source }: Source): unknown {
  if (typeof value !== 'number' || source === undefined || JSON.stringify(value) === source) return value;
  return isExact(value, source) ? value : json.rawJSON(source);
}

/** Whether the number is that of its text, written in another way, such as `1.0` and `1e3`. */
function isExact(value: number, source: string): boolean {
  const digits = source
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  return Number.isFinite(value) && digits.length < 16;
}
