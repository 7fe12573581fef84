import { findSubarray } from './subarray.ts';
import { textOf } from './formats.ts';
import { JsonTextError, parseJson } from './json-parse.ts';
import { jsonText } from './json-text.ts';
import { meter } from './meter.ts';
import { describe, expectString, type NativeTable } from './native.ts';
import { numberOf, readNumber } from './number-literal.ts';
import { add, splitString } from './operators.ts';
import { raise } from './signals.ts';
import { codePointCounter, occurrences } from './text-search.ts';
import { isArray, isObject, type JsonValue } from './value.ts';
import { getKey } from './access.ts';
import { elements } from './elements.ts';

/** Builtins on strings, and conversions of values to strings and back. */
export const STRING_BUILTINS: NativeTable = {
  'tostring/0': textOf,
  'tojson/0': (input) => jsonText(input),
  'fromjson/0': (input) => fromJson(expectString(input, `${describe(input)} cannot be parsed as JSON`)),
  'tonumber/0': toNumber,
  'ascii_downcase/0': (input) =>
    text(input, 'explode input must be a string').replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  'ascii_upcase/0': (input) =>
    text(input, 'explode input must be a string').replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  'explode/0': (input) => {
    const source = text(input, 'explode input must be a string');
    meter().places(source.length);
    return Array.from(source, (char) => char.codePointAt(0) ?? 0);
  },
  'implode/0': implode,
  'ascii/0': (input) => implode([input]),
  'utf8bytelength/0': (input) =>
    Buffer.byteLength(text(input, `${describe(input)} only strings have UTF-8 byte length`)),
  'startswith/1': (input, prefix) => {
    if (typeof input !== 'string' || typeof prefix !== 'string') raise('startswith() requires string inputs');
    return input.startsWith(prefix);
  },
  'endswith/1': (input, suffix) => {
    if (typeof input !== 'string' || typeof suffix !== 'string') raise('endswith() requires string inputs');
    return input.endsWith(suffix);
  },
  'ltrimstr/1': trimPrefix,
  'rtrimstr/1': trimSuffix,
  'trimstr/1': (input, affix) => trimSuffix(trimPrefix(input, affix), affix),
  'trim/0': (input) => withoutSpaceAfter(withoutSpaceBefore(text(input, 'trim input must be a string'))),
  'ltrim/0': (input) => withoutSpaceBefore(text(input, 'trim input must be a string')),
  'rtrim/0': (input) => withoutSpaceAfter(text(input, 'trim input must be a string')),
  'split/1': (input, separator) => {
    if (typeof input !== 'string' || typeof separator !== 'string') raise('split input and separator must be strings');
    return splitString(input, separator);
  },
  'join/1': join,
  'indices/1': indices,
  '_indices/1': indices,
  '_strindices/1': (input, part) => {
    if (typeof input !== 'string') return raise(`${describe(input)} cannot be searched, as it is not a string`);
    return findSubstring(input, expectString(part, `${describe(part)} is not a string`));
  },
  'index/1': (input, part) => getKey(indices(input, part), 0),
  'rindex/1': (input, part) => getKey(indices(input, part), -1),
};

// The white space of Unicode; the byte order mark, which JavaScript counts as such, is none.
const SPACE = String.raw`\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const SPACE_BEFORE = new RegExp(`^[${SPACE}]+`);
const NOT_SPACE = new RegExp(`[^${SPACE}]`);

function withoutSpaceBefore(source: string): string {
  return source.replace(SPACE_BEFORE, '');
}

// Not a pattern that ends in `$`: the engine would try it at every run of white space.
function withoutSpaceAfter(source: string): string {
  let end = source.length;
  while (end > 0 && !NOT_SPACE.test(source.charAt(end - 1))) end -= 1;
  return source.slice(0, end);
}

/** Returns `value` and counts the work of scanning it; raises `message` if it is not a string. */
function text(value: JsonValue, message: string): string {
  const source = expectString(value, message);
  meter().spend(source.length >>> 2);
  return source;
}

function fromJson(source: string): JsonValue {
  try {
    return parseJson(source, 1, meter().numbers);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return raise(`${error.message} (while parsing '${shortened(source)}')`);
  }
}

const MAX_QUOTED_LENGTH = 1000;

function shortened(source: string): string {
  return source.length <= MAX_QUOTED_LENGTH ? source : `${source.slice(0, MAX_QUOTED_LENGTH)}...`;
}

// Each digit can be matched in one way only; otherwise a long number followed by a letter would be tried at every
// length.
const NUMBER = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const SPECIAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['-nan', Number.NaN],
  ['infinity', Number.POSITIVE_INFINITY],
  ['-infinity', Number.NEGATIVE_INFINITY],
]);

function toNumber(input: JsonValue): JsonValue {
  if (typeof input === 'number' || typeof input === 'symbol') return input;
  if (typeof input !== 'string') return raise(`${describe(input)} cannot be parsed as a number`);
  meter().spend(input.length >>> 2);
  if (NUMBER.test(input)) return readNumber(input, meter().numbers);
  return SPECIAL_NUMBERS.get(input.toLowerCase()) ?? raise(`${describe(input)} cannot be parsed as a number`);
}

const MAX_CODE_POINT = 0x10_ff_ff;

function implode(input: JsonValue): JsonValue {
  if (!isArray(input)) return raise('implode input must be an array');
  meter().places(input.length);
  const points = input.map((point) => {
    meter().tick();
    const number = numberOf(point) ?? Number.NaN;
    if (Number.isNaN(number))
      return raise(`${describe(point)} can't be imploded, unicode codepoint needs to be numeric`);
    const isValid = number >= 0 && number <= MAX_CODE_POINT && !(number >= 0xd800 && number <= 0xdfff);
    return isValid ? Math.trunc(number) : 0xfffd;
  });
  return points.map((point) => String.fromCodePoint(point)).join('');
}

function trimPrefix(input: JsonValue, prefix: JsonValue): JsonValue {
  if (typeof input !== 'string' || typeof prefix !== 'string') return raise('startswith() requires string inputs');
  return input.startsWith(prefix) ? input.slice(prefix.length) : input;
}

function trimSuffix(input: JsonValue, suffix: JsonValue): JsonValue {
  if (typeof input !== 'string' || typeof suffix !== 'string') return raise('endswith() requires string inputs');
  return input.endsWith(suffix) ? input.slice(0, input.length - suffix.length) : input;
}

function join(input: JsonValue, separator: JsonValue): JsonValue {
  let joined: JsonValue = null;
  for (const item of elements(input)) {
    meter().tick();
    const isPlain = typeof item === 'number' || typeof item === 'boolean' || typeof item === 'symbol';
    const before: JsonValue = joined === null ? '' : add(joined, separator);
    joined = add(before, isPlain ? textOf(item) : (item ?? ''));
  }
  return joined ?? '';
}

function indices(input: JsonValue, part: JsonValue): JsonValue {
  if (input === null) return null;
  if (typeof input === 'string' && typeof part === 'string') return findSubstring(input, part);
  if (isArray(input)) return findSubarray(input, isArray(part) ? part : [part]);
  if (isObject(input) && typeof part !== 'string') raise(`Cannot determine indices of ${describe(part)} in an object`);
  return getKey(input, part);
}

/** The offsets of `part` in `whole`, overlaps included, in code points. */
function findSubstring(whole: string, part: string): JsonValue {
  if (part === '') return null;
  return Array.from(occurrences(whole, part), codePointCounter(whole));
}
