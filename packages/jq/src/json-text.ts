import { meter, type Meter } from './meter.ts';
import { sortedKeys } from './order.ts';
import { literalText } from './number-literal.ts';
import {
  isArray,
  isIndexLike,
  isObject,
  MAX_DEPTH,
  ownKeys,
  ownValue,
  type JsonObject,
  type JsonValue,
} from './value.ts';

/** How `jsonText` writes a value; default on one line, with keys in their order. */
export interface JsonTextOptions {
  /** The indentation of one level of nesting; if it is empty or absent, everything is on one line. */
  readonly indent?: string;
  readonly sortKeys?: boolean;
  /** Escape everything outside ASCII. */
  readonly ascii?: boolean;
}

/** Returns `value` as JSON text, with numbers as jq writes them: NaN is `null`, infinity the largest double. */
export function jsonText(value: JsonValue, options: JsonTextOptions = {}): string {
  const isPretty = options.indent !== undefined && options.indent !== '';
  if (!isPretty && options.sortKeys !== true && options.ascii !== true) {
    return isPlain(value, meter()) ? JSON.stringify(value) : write(value, {}, false);
  }
  return write(value, options, isPretty);
}

/**
 * A number as jq prints it: the shortest digits that parse back to the same number, in exponent form only if it is very
 * large or very small.
 */
export function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : String(value);
  meter().notePrecision(value);
  if (Number.isNaN(value)) return 'null';
  const finite = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
  const sign = finite < 0 ? '-' : '';
  const [mantissa = '', exponentText = '0'] = Math.abs(finite).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  return sign + placeDigits(digits, Number(exponentText) + 1);
}

/**
 * Writes `digits` with the decimal point before the digit at index `point`, or in exponent form if too many zeros would
 * be needed.
 */
function placeDigits(digits: string, point: number): string {
  if (point <= -4 || point > digits.length + 15) return exponentForm(digits, point - 1);
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits + '0'.repeat(point - digits.length);
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

const EXCERPT_BYTES = 29;

/**
 * The JSON text of `value` cut to 29 bytes, for error messages; what is cut ends in dots and its closing delimiter.
 * Only the beginning of a large value is read.
 */
export function excerpt(value: JsonValue): string {
  const bytes = Buffer.from(beginning(value, EXCERPT_BYTES));
  if (bytes.length <= EXCERPT_BYTES) return bytes.toString();
  const close = typeof value === 'string' ? '"' : isArray(value) ? ']' : isObject(value) ? '}' : '';
  let end = EXCERPT_BYTES - 3 - close.length;
  // Not within a character: its further bytes are 10xxxxxx.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()}...${close}`;
}

/** At least the first `length` characters of the JSON text of `value`. */
function beginning(value: JsonValue, length: number): string {
  if (typeof value === 'string') return stringText(value.slice(0, length + 1), {});
  if (isArray(value)) return `[${beginningOfItems(value, length)}]`;
  return isObject(value) ? `{${beginningOfMembers(value, length)}}` : jsonText(value);
}

function beginningOfItems(value: readonly JsonValue[], length: number): string {
  let text = '';
  for (const item of value) {
    if (text.length >= length) break;
    text += (text === '' ? '' : ',') + beginning(item, length - text.length - 1);
  }
  return text;
}

function beginningOfMembers(value: JsonObject, length: number): string {
  let text = '';
  for (const key of ownKeys(value)) {
    if (text.length >= length) break;
    const name = stringText(key.slice(0, length + 1), {});
    text += `${text === '' ? '' : ','}${name}:${beginning(ownValue(value, key), length - text.length - name.length - 1)}`;
  }
  return text;
}

function exponentForm(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${digits.slice(0, 1)}${fraction}e${exponent < 0 ? '-' : '+'}${power}`;
}

const DEL = '\u007f';

// JSON.stringify recurses; beyond this depth it might exhaust the stack.
const MAX_PLAIN_DEPTH = 500;

/**
 * Whether JSON.stringify writes `value` as jq does: all numbers are safe integers other than -0, no string or key has a
 * DEL character, no key looks like an array index, and the value is not deep. The steps counted here also stand for the work of writing.
 */
function isPlain(value: JsonValue, counter: Meter, depth = 0): boolean {
  counter.tick();
  if (typeof value === 'string') {
    counter.spend(value.length >>> 4);
    return !value.includes(DEL);
  }
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value === 'symbol') return false;
  return typeof value !== 'object' || value === null || hasPlainParts(value, counter, depth);
}

function hasPlainParts(value: readonly JsonValue[] | JsonObject, counter: Meter, depth: number): boolean {
  if (depth > MAX_PLAIN_DEPTH) return false;
  if (isArray(value)) return value.every((item) => isPlain(item, counter, depth + 1));
  // JavaScript puts the keys that look like indices first.
  let isFirst = true;
  for (const key in value) {
    if (isFirst && isIndexLike(key)) return false;
    isFirst = false;
    if (key.includes(DEL) || !isPlain(value[key] ?? null, counter, depth + 1)) return false;
  }
  return true;
}

/** Text to be written, or a value that stands `depth` levels below the top. */
type Part = string | { readonly value: JsonValue; readonly depth: number };

interface Layout extends JsonTextOptions {
  readonly isPretty: boolean;
}

/** Writes any value. The parts that are left are on a list of their own, as a value may be deeper than the call stack. */
function write(value: JsonValue, options: JsonTextOptions, isPretty: boolean): string {
  const layout: Layout = { ...options, isPretty };
  const rest: Part[] = [{ value, depth: 0 }];
  let text = '';
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === 'string') text += next;
    else text += writePart(next.value, next.depth, { layout, rest });
  }
  return text;
}

interface Writing {
  readonly layout: Layout;
  /** The parts that are left, the next one last. */
  readonly rest: Part[];
}

/** Returns the text of a scalar, or that of the beginning of a container, whose other parts are put on the list. */
function writePart(value: JsonValue, depth: number, { layout, rest }: Writing): string {
  meter().tick();
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return stringText(value, layout);
  if (typeof value === 'symbol') return literalText(value);
  if (isArray(value)) return depth > MAX_DEPTH ? TOO_DEEP : beginArray(value, depth, { layout, rest });
  if (!isObject(value)) return String(value);
  return depth > MAX_DEPTH ? TOO_DEEP : beginObject(value, depth, { layout, rest });
}

const TOO_DEEP = '<skipped: too deep>';

function beginArray(value: readonly JsonValue[], depth: number, { layout, rest }: Writing): string {
  if (value.length === 0) return '[]';
  const inner = lineBreak(depth + 1, layout);
  rest.push(`${lineBreak(depth, layout)}]`);
  for (let index = value.length - 1; index >= 0; index -= 1) {
    rest.push({ value: value[index] ?? null, depth: depth + 1 });
    if (index > 0) rest.push(`,${inner}`);
  }
  return `[${inner}`;
}

function beginObject(value: JsonObject, depth: number, { layout, rest }: Writing): string {
  const keys = layout.sortKeys === true ? sortedKeys(value) : ownKeys(value);
  if (keys.length === 0) return '{}';
  const inner = lineBreak(depth + 1, layout);
  const colon = layout.isPretty ? ': ' : ':';
  rest.push(`${lineBreak(depth, layout)}}`);
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index] ?? '';
    rest.push({ value: ownValue(value, key), depth: depth + 1 }, stringText(key, layout) + colon);
    if (index > 0) rest.push(`,${inner}`);
  }
  return `{${inner}`;
}

function lineBreak(depth: number, { isPretty, indent = '' }: Layout): string {
  return isPretty ? `\n${indent.repeat(depth)}` : '';
}

function stringText(text: string, options: JsonTextOptions): string {
  meter().text(text.length);
  const quoted = JSON.stringify(text.toWellFormed()).replaceAll(DEL, '\\u007f');
  if (options.ascii !== true) return quoted;
  return quoted.replace(/[^\0-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
