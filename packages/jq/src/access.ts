import { excerpt } from './json-text.ts';
import { meter } from './meter.ts';
import { numberOf } from './number-literal.ts';
import { raise } from './signals.ts';
import { findSubarray } from './subarray.ts';
import {
  codePointLength,
  hasSurrogates,
  isArray,
  isObject,
  MAX_DEPTH,
  ownKeys,
  ownValue,
  setOwn,
  typeName,
  withKey,
  type JsonObject,
  type JsonValue,
} from './value.ts';

/**
 * Returns the field, element or slice (`{start, end}`) of `value` that `key` selects, or null if there is none. An
 * array as the key of an array yields the offsets at which it occurs. Raises an error if the key does not fit the
 * value.
 */
export function getKey(value: JsonValue, key: JsonValue): JsonValue {
  if (typeof key === 'string' && isObject(value)) return ownValue(value, key);
  if (typeof key === 'number' && isArray(value)) return value[elementIndex(key, value.length)] ?? null;
  return getSpecial(value, key);
}

/** Returns a copy of `value` with `key` set to `replacement`; null becomes the kind of container that the key needs. */
export function setKey(value: JsonValue, key: JsonValue, replacement: JsonValue): JsonValue {
  if (typeof key === 'string' && (value === null || isObject(value))) return withKey(value ?? {}, key, replacement);
  if (value === null || isArray(value)) return setInArray(value ?? [], key, replacement);
  if (isObject(key) && typeof value === 'string') raise('Cannot update string slices');
  return failToIndex(value, key);
}

/** Returns the value at the path `keys`, or null if the path leads through null. */
export function getPath(value: JsonValue, keys: readonly JsonValue[]): JsonValue {
  checkDepth(keys);
  let current = value;
  for (const key of keys) {
    if (current === null) return null;
    current = getKey(current, key);
  }
  return current;
}

/** The bounds `[from, to)` that a slice key selects in a value of this length. */
export function sliceBounds(length: number, from: JsonValue, to: JsonValue): readonly [number, number] {
  const start = clamp(Math.floor(fromEnd(boundOr(from, 0), length)), length);
  const end = clamp(Math.ceil(fromEnd(boundOr(to, length), length)), length);
  return [start, Math.max(start, end)];
}

/** Raises an error for a path of more levels than JSON text may have. */
export function checkDepth(keys: readonly JsonValue[]): void {
  if (keys.length > MAX_DEPTH) raise('Path too deep');
}

function fromEnd(index: number, length: number): number {
  return index < 0 ? index + length : index;
}

function boundOr(bound: JsonValue, otherwise: number): number {
  if (bound === null) return otherwise;
  const number = numberOf(bound) ?? raise('Array/string slice indices must be integers');
  return Number.isNaN(number) ? otherwise : number;
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(length, index));
}

function elementIndex(key: number, length: number): number {
  const index = Math.floor(key);
  return index < 0 ? index + length : index;
}

/** Slices, searches for a subarray, and keys of null. */
function getSpecial(value: JsonValue, key: JsonValue): JsonValue {
  if (typeof key === 'symbol') return getKey(value, numberOf(key) ?? null);
  if (isObject(key)) return getSlice(value, key);
  if (isArray(key) && isArray(value)) return findSubarray(value, key);
  if (value === null && !isArray(key) && typeof key !== 'boolean') return null;
  return failToIndex(value, key);
}

function setInArray(value: readonly JsonValue[], key: JsonValue, replacement: JsonValue): JsonValue {
  const index = numberOf(key);
  if (index !== undefined) return setElement(value, index, replacement);
  if (isObject(key)) return setSlice(value, key, replacement);
  if (isArray(key)) raise('Cannot update field at array index of array');
  return failToIndex(value, key);
}

function getSlice(value: JsonValue, key: JsonObject): JsonValue {
  if (value === null) return null;
  const from = ownValue(key, 'start');
  const to = ownValue(key, 'end');
  if (isArray(value)) {
    const [start, end] = sliceBounds(value.length, from, to);
    meter().places(end - start);
    return value.slice(start, end);
  }
  if (typeof value !== 'string') return failToIndex(value, key);
  meter().text(value.length);
  const bounds = sliceBounds(codePointLength(value), from, to);
  if (!hasSurrogates(value)) return value.slice(...bounds);
  meter().places(value.length);
  return Array.from(value)
    .slice(...bounds)
    .join('');
}

const MAX_ARRAY_INDEX = 536_870_911;

function setElement(value: readonly JsonValue[], key: number, replacement: JsonValue): JsonValue {
  if (Number.isNaN(key)) raise('Cannot set array element at NaN index');
  const index = elementIndex(key, value.length);
  if (index < 0) raise('Out of bounds negative array index');
  if (!(index <= MAX_ARRAY_INDEX)) raise('Array index too large');
  meter().places(Math.max(value.length, index + 1));
  const copy = value.slice();
  while (copy.length < index) copy.push(null);
  copy[index] = replacement;
  return copy;
}

function setSlice(value: readonly JsonValue[], key: JsonObject, replacement: JsonValue): JsonValue {
  if (!isArray(replacement)) raise('A slice of an array can only be assigned another array');
  const [start, end] = sliceBounds(value.length, ownValue(key, 'start'), ownValue(key, 'end'));
  meter().places(value.length + replacement.length);
  return [...value.slice(0, start), ...replacement, ...value.slice(end)];
}

/** Returns a copy of `value` without `keys`: one key of any type, several names, or several indices and slices. */
export function deleteKeys(value: JsonValue, keys: readonly JsonValue[]): JsonValue {
  const [only = null] = keys;
  if (isObject(value)) {
    if (typeof only !== 'string') raise(`Cannot delete ${typeName(only)} field of object`);
    return withoutKeys(value, keys);
  }
  if (!isArray(value)) raise(`Cannot delete fields from ${typeName(value)}`);
  return withoutElements(value, keys);
}

/** An array without the elements that the keys, all relative to the same array, select. */
function withoutElements(value: readonly JsonValue[], keys: readonly JsonValue[]): JsonValue {
  const indices = new Set<number>();
  const slices: (readonly [number, number])[] = [];
  for (const key of keys) {
    const number = numberOf(key);
    if (number !== undefined) indices.add(elementIndex(number, value.length));
    else if (isObject(key)) slices.push(sliceBounds(value.length, ownValue(key, 'start'), ownValue(key, 'end')));
    else raise(`Cannot delete ${typeName(key)} element of array`);
  }
  meter().spend(value.length * slices.length);
  return withoutIndices(
    value,
    (index) => indices.has(index) || slices.some(([start, end]) => index >= start && index < end),
  );
}

function withoutKeys(value: JsonObject, keys: readonly JsonValue[]): JsonObject {
  const names = keys.filter((key) => typeof key === 'string' && Object.hasOwn(value, key));
  if (names.length === 0) return value;
  const gone = new Set(names);
  const rest: Record<string, JsonValue> = {};
  for (const key of ownKeys(value)) {
    meter().tick();
    if (!gone.has(key)) setOwn(rest, key, value[key] ?? null);
  }
  return rest;
}

function withoutIndices(value: readonly JsonValue[], isGone: (index: number) => boolean): readonly JsonValue[] {
  meter().places(value.length);
  return value.filter((_item, index) => !isGone(index));
}

function failToIndex(value: JsonValue, key: JsonValue): never {
  return raise(`Cannot index ${typeName(value)} with ${typeName(key)} (${excerpt(key)})`);
}
