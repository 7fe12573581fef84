import { meter, type Meter } from './meter.ts';
import { sortedKeys } from './order.ts';
import { isArray, isObject, ownKeys, ownValue, type JsonObject, type JsonValue } from './value.ts';

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
    return hasPlainNumbers(value, meter()) ? JSON.stringify(value) : write(value, {}, '');
  }
  return write(value, options, isPretty ? '\n' : '');
}

/**
 * A number as jq prints it: the shortest digits that parse back to the same number, in exponent form only if it is very
 * large or very small.
 */
export function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : String(value);
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

/** The JSON text of `value` cut to `maxBytes`, for error messages. Only the beginning of a large value is read. */
export function excerpt(value: JsonValue, maxBytes = 14): string {
  const bytes = Buffer.from(beginning(value, maxBytes));
  if (bytes.length <= maxBytes) return bytes.toString();
  return `${bytes.subarray(0, maxBytes - 3).toString()}...`;
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

/**
 * Whether JSON.stringify writes `value` as jq does: all numbers are safe integers other than -0, and no string or key
 * has a DEL character. The steps counted here also stand for the work of writing.
 */
function hasPlainNumbers(value: JsonValue, counter: Meter): boolean {
  counter.tick();
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value === 'string') {
    counter.spend(value.length >>> 4);
    return !value.includes(DEL);
  }
  if (isArray(value)) return value.every((item) => hasPlainNumbers(item, counter));
  if (!isObject(value)) return true;
  for (const key in value) {
    if (key.includes(DEL) || !hasPlainNumbers(value[key] ?? null, counter)) return false;
  }
  return true;
}

function write(value: JsonValue, options: JsonTextOptions, newline: string): string {
  meter().tick();
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return stringText(value, options);
  if (isArray(value)) {
    if (value.length === 0) return '[]';
    const inner = deeper(newline, options);
    return `[${inner}${value.map((item) => write(item, options, inner)).join(`,${inner}`)}${newline}]`;
  }
  if (!isObject(value)) return String(value);
  const keys = options.sortKeys === true ? sortedKeys(value) : ownKeys(value);
  if (keys.length === 0) return '{}';
  const inner = deeper(newline, options);
  const colon = newline === '' ? ':' : ': ';
  const pairs = keys.map((key) => stringText(key, options) + colon + write(ownValue(value, key), options, inner));
  return `{${inner}${pairs.join(`,${inner}`)}${newline}}`;
}

function deeper(newline: string, options: JsonTextOptions): string {
  return newline === '' ? '' : newline + (options.indent ?? '');
}

function stringText(text: string, options: JsonTextOptions): string {
  meter().text(text.length);
  const quoted = JSON.stringify(text.toWellFormed()).replaceAll(DEL, '\\u007f');
  if (options.ascii !== true) return quoted;
  return quoted.replace(/[^\0-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
