import { findSubarray } from './subarray.ts';
import { textOf } from './formats.ts';
import { JsonTextError, parseJson } from './json-parse.ts';
import { jsonText } from './json-text.ts';
import { meter } from './meter.ts';
import { describe, expectString, type NativeTable } from './native.ts';
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
    text(input, 'ascii_downcase input must be a string').replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  'ascii_upcase/0': (input) =>
    text(input, 'ascii_upcase input must be a string').replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
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
  'trim/0': (input) => text(input, 'trim input must be a string').trim(),
  'ltrim/0': (input) => text(input, 'trim input must be a string').trimStart(),
  'rtrim/0': (input) => text(input, 'trim input must be a string').trimEnd(),
  'split/1': (input, separator) => {
    if (typeof input !== 'string' || typeof separator !== 'string') raise('split input and separator must be strings');
    return splitString(input, separator);
  },
  'join/1': join,
  'indices/1': indices,
  '_indices/1': indices,
  'index/1': (input, part) => getKey(indices(input, part), 0),
  'rindex/1': (input, part) => getKey(indices(input, part), -1),
};

/** Returns `value` and counts the work of scanning it; raises `message` if it is not a string. */
function text(value: JsonValue, message: string): string {
  const source = expectString(value, message);
  meter().spend(source.length >>> 2);
  return source;
}

function fromJson(source: string): JsonValue {
  try {
    return parseJson(source);
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
const NUMBER = /^\s*[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*$/;

function toNumber(input: JsonValue): JsonValue {
  if (typeof input === 'number') return input;
  if (typeof input !== 'string') return raise(`${describe(input)} cannot be parsed as a number`);
  meter().spend(input.length >>> 2);
  if (NUMBER.test(input)) return Number(input);
  const value = fromJson(input);
  return typeof value === 'number' ? value : raise(`${describe(input)} cannot be parsed as a number`);
}

const MAX_CODE_POINT = 0x10_ff_ff;

function implode(input: JsonValue): JsonValue {
  if (!isArray(input)) return raise('implode input must be an array');
  meter().places(input.length);
  const points = input.map((point) => {
    meter().tick();
    if (typeof point !== 'number') return raise('Unicode codepoint must be numeric');
    const isValid = point >= 0 && point <= MAX_CODE_POINT && !(point >= 0xd800 && point <= 0xdfff);
    return isValid ? Math.trunc(point) : 0xfffd;
  });
  return points.map((point) => String.fromCodePoint(point)).join('');
}

function trimPrefix(input: JsonValue, prefix: JsonValue): JsonValue {
  const isPrefix = typeof input === 'string' && typeof prefix === 'string' && input.startsWith(prefix);
  return isPrefix ? input.slice(prefix.length) : input;
}

function trimSuffix(input: JsonValue, suffix: JsonValue): JsonValue {
  const isSuffix = typeof input === 'string' && typeof suffix === 'string' && input.endsWith(suffix);
  return isSuffix ? input.slice(0, input.length - suffix.length) : input;
}

function join(input: JsonValue, separator: JsonValue): JsonValue {
  let joined: JsonValue = null;
  for (const item of elements(input)) {
    meter().tick();
    const isPlain = typeof item === 'number' || typeof item === 'boolean';
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
