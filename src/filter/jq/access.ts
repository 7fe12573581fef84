import { sortValues } from './order.ts';
import { raise } from './signals.ts';
import { findSubarray } from './subarray.ts';
import {
  codePointLength,
  hasSurrogates,
  isArray,
  isObject,
  ownValue,
  typeName,
  withKey,
  withoutKey,
  type JsonObject,
  type JsonValue,
} from './value.ts';

/** What stands under `key` in `value`: a field, an element, a slice (`{start, end}`), or null. */
export function getKey(value: JsonValue, key: JsonValue): JsonValue {
  if (typeof key === 'string' && isObject(value)) return ownValue(value, key);
  if (typeof key === 'number' && isArray(value)) return value[elementIndex(key, value.length)] ?? null;
  return getSpecial(value, key);
}

/** A copy of `value` with what stands under `key` replaced; null grows into the container the key asks for. */
export function setKey(value: JsonValue, key: JsonValue, replacement: JsonValue): JsonValue {
  if (typeof key === 'string' && (value === null || isObject(value))) return withKey(value ?? {}, key, replacement);
  if (value === null || isArray(value)) return setInArray(value ?? [], key, replacement);
  if (isObject(key) && !isObject(value)) raise(`Cannot update field at object index of ${typeName(value)}`);
  return failToIndex(value, key);
}

/** Follows `keys` inwards; once null is reached it stays null. */
export function getPath(value: JsonValue, keys: readonly JsonValue[]): JsonValue {
  let current = value;
  for (const key of keys) {
    if (current === null) return null;
    current = getKey(current, key);
  }
  return current;
}

/** A copy of `value` with `replacement` at the end of `keys`. */
export function setPath(value: JsonValue, keys: readonly JsonValue[], replacement: JsonValue): JsonValue {
  return updatePath(value, keys, () => replacement);
}

/** As `setPath`, with a replacement made from what stood there. */
export function updatePath(
  value: JsonValue,
  keys: readonly JsonValue[],
  update: (old: JsonValue) => JsonValue,
): JsonValue {
  const descend = (current: JsonValue, level: number): JsonValue => {
    const key = keys[level];
    if (key === undefined) return update(current);
    return setKey(current, key, descend(getKey(current, key), level + 1));
  };
  return descend(value, 0);
}

/** A copy of `value` without what stands at any of `paths`. */
export function deletePaths(value: JsonValue, paths: readonly JsonValue[]): JsonValue {
  let current = value;
  // From the last to the first, so that a deletion does not shift what is still to be deleted.
  for (const path of sortValues(paths).toReversed()) {
    if (!isArray(path)) raise('Path must be specified as an array');
    current = deletePath(current, path, 0);
  }
  return current;
}

/** The bounds `[from, to)` a slice key means for something of `length`. */
export function sliceBounds(length: number, from: JsonValue, to: JsonValue): readonly [number, number] {
  if (!isBound(from) || !isBound(to)) raise('Start and end indices of an array slice must be numbers');
  const start = clamp(Math.floor(fromEnd(from ?? 0, length)), length);
  const end = clamp(Math.ceil(fromEnd(to ?? length, length)), length);
  return [start, Math.max(start, end)];
}

function isBound(value: JsonValue): value is number | null {
  return value === null || typeof value === 'number';
}

function fromEnd(index: number, length: number): number {
  return index < 0 ? index + length : index;
}

function clamp(index: number, length: number): number {
  return Number.isNaN(index) ? 0 : Math.max(0, Math.min(length, index));
}

function elementIndex(key: number, length: number): number {
  const index = Math.floor(key);
  return index < 0 ? index + length : index;
}

/** Slices, searches, and what null has under any key. */
function getSpecial(value: JsonValue, key: JsonValue): JsonValue {
  if (isObject(key)) return getSlice(value, key);
  if (isArray(key) && isArray(value)) return findSubarray(value, key);
  if (value === null && !isArray(key) && typeof key !== 'boolean') return null;
  return failToIndex(value, key);
}

function setInArray(value: readonly JsonValue[], key: JsonValue, replacement: JsonValue): JsonValue {
  if (typeof key === 'number') return setElement(value, key, replacement);
  if (isObject(key)) return setSlice(value, key, replacement);
  return failToIndex(value, key);
}

function getSlice(value: JsonValue, key: JsonObject): JsonValue {
  if (value === null) return null;
  const from = ownValue(key, 'start');
  const to = ownValue(key, 'end');
  if (isArray(value)) return value.slice(...sliceBounds(value.length, from, to));
  if (typeof value !== 'string') return failToIndex(value, key);
  const bounds = sliceBounds(codePointLength(value), from, to);
  return hasSurrogates(value)
    ? Array.from(value)
        .slice(...bounds)
        .join('')
    : value.slice(...bounds);
}

const MAX_ARRAY_INDEX = 536_870_911;

function setElement(value: readonly JsonValue[], key: number, replacement: JsonValue): JsonValue {
  const index = elementIndex(key, value.length);
  if (index < 0) raise('Out of bounds negative array index');
  if (!(index <= MAX_ARRAY_INDEX)) raise('Array index too large');
  const copy = value.slice();
  while (copy.length < index) copy.push(null);
  copy[index] = replacement;
  return copy;
}

function setSlice(value: readonly JsonValue[], key: JsonObject, replacement: JsonValue): JsonValue {
  if (!isArray(replacement)) raise('A slice of an array can only be assigned another array');
  const [start, end] = sliceBounds(value.length, ownValue(key, 'start'), ownValue(key, 'end'));
  return value.toSpliced(start, end - start, ...replacement);
}

function deletePath(value: JsonValue, keys: readonly JsonValue[], level: number): JsonValue {
  const key = keys[level];
  if (key === undefined || value === null) return null;
  if (level === keys.length - 1) return deleteKey(value, key);
  const inner = getKey(value, key);
  return inner === null ? value : setKey(value, key, deletePath(inner, keys, level + 1));
}

function deleteKey(value: JsonValue, key: JsonValue): JsonValue {
  if (isObject(value)) {
    if (typeof key !== 'string') raise(`Cannot delete ${typeName(key)} field of object`);
    return Object.hasOwn(value, key) ? withoutKey(value, key) : value;
  }
  if (!isArray(value)) raise(`Cannot delete fields from ${typeName(value)}`);
  if (isObject(key)) {
    const [start, end] = sliceBounds(value.length, ownValue(key, 'start'), ownValue(key, 'end'));
    return value.toSpliced(start, end - start);
  }
  if (typeof key !== 'number') raise(`Cannot delete ${typeName(key)} element of array`);
  const index = elementIndex(key, value.length);
  return index < 0 || index >= value.length ? value : value.toSpliced(index, 1);
}

// Long keys are left out of the message.
const MAX_QUOTED_KEY_BYTES = 29;

function failToIndex(value: JsonValue, key: JsonValue): never {
  const isShort = typeof key === 'string' && Buffer.byteLength(key) <= MAX_QUOTED_KEY_BYTES;
  return raise(`Cannot index ${typeName(value)} with ${typeName(key)}${isShort ? ` "${key}"` : ''}`);
}
