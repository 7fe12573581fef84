import { contains } from './contains.ts';
import { elements } from './elements.ts';
import { jsonText, numberText } from './json-text.ts';
import { meter } from './meter.ts';
import { absoluteLiteral } from './number-literal.ts';
import { describe, expectArray, type NativeTable } from './native.ts';
import { add } from './operators.ts';
import { compareValues, sortedKeys, sortValues } from './order.ts';
import { raise } from './signals.ts';
import {
  codePointLength,
  isArray,
  isObject,
  isTruthy,
  mergeObjects,
  ownKeys,
  ownValue,
  setOwn,
  typeName,
  type JsonValue,
} from './value.ts';

/** Builtins on whole arrays and objects. */
export const COLLECTION_BUILTINS: NativeTable = {
  'length/0': length,
  'keys/0': (input) => keysOf(input, sortedKeys),
  'keys_unsorted/0': (input) => keysOf(input, ownKeys),
  'has/1': has,
  'contains/1': contains,
  'add/0': addAll,
  'reverse/0': reverse,
  'sort/0': (input) => sortValues(expectArray(input, 'cannot be sorted, as it is not an array')),
  'unique/0': (input) => unique(sortValues(expectArray(input, 'cannot be sorted, as it is not an array'))),
  'min/0': (input) => extreme(input, -1),
  'max/0': (input) => extreme(input, 1),
  'flatten/0': (input) => flatten(elements(input), Number.POSITIVE_INFINITY),
  'flatten/1': (input, depth) => {
    if (typeof depth !== 'number') raise('flatten depth must not be negative');
    if (depth < 0) raise('flatten depth must not be negative');
    return flatten(elements(input), depth);
  },
  'to_entries/0': (input) => {
    if (isArray(input)) {
      meter().spend(input.length);
      return input.map((value, key) => ({ key, value }));
    }
    if (!isObject(input)) raise(`${describe(input)} has no keys`);
    const keys = ownKeys(input);
    meter().spend(keys.length);
    return keys.map((key) => ({ key, value: ownValue(input, key) }));
  },
  'from_entries/0': fromEntries,
  'transpose/0': transpose,
  'bsearch/1': search,
  'toarray/0': (input) => (isArray(input) ? input : [input]),
};

function length(input: JsonValue): JsonValue {
  if (input === null) return 0;
  if (typeof input === 'string') return codePointLength(input);
  if (typeof input === 'number') return Math.abs(input);
  if (typeof input === 'symbol') return absoluteLiteral(input);
  if (isArray(input)) return input.length;
  if (isObject(input)) return ownKeys(input).length;
  return raise(`${describe(input)} has no length`);
}

function reverse(input: JsonValue): JsonValue {
  if (isArray(input) || typeof input === 'string') meter().places(input.length);
  if (isArray(input)) return input.toReversed();
  if (typeof input === 'string') return Array.from(input).toReversed().join('');
  const size = Number(length(input));
  if (size === 0) return [];
  return raise(`Cannot index ${typeName(input)} with number (${numberText(size - 1)})`);
}

function keysOf(input: JsonValue, ofObject: (object: { readonly [key: string]: JsonValue }) => string[]): JsonValue {
  if (isArray(input)) {
    meter().places(input.length);
    return input.map((_value, index) => index);
  }
  if (isObject(input)) return ofObject(input);
  return raise(`${describe(input)} has no keys`);
}

function has(input: JsonValue, key: JsonValue): JsonValue {
  if (isObject(input) && typeof key === 'string') return Object.hasOwn(input, key);
  if (isArray(input) && typeof key === 'number') return key >= 0 && key < input.length;
  return raise(`Cannot check whether ${typeName(input)} has a ${typeName(key)} key`);
}

function addAll(input: JsonValue): JsonValue {
  let sum: JsonValue = null;
  // A container that was made here is extended in place; otherwise adding n containers would copy the sum n times.
  let owned: JsonValue[] | Record<string, JsonValue> | undefined;
  for (const value of elements(input)) {
    meter().tick();
    if (owned !== undefined && addInto(owned, value)) continue;
    owned = merged(sum, value);
    sum = owned ?? add(sum, value);
  }
  return sum;
}

/** Adds `value` in place to a container of the same type; returns false for any other type. */
function addInto(container: JsonValue[] | Record<string, JsonValue>, value: JsonValue): boolean {
  if (Array.isArray(container)) {
    if (!isArray(value)) return false;
    meter().places(value.length);
    for (const item of value) container.push(item);
    return true;
  }
  if (!isObject(value)) return false;
  for (const key of ownKeys(value)) {
    meter().tick();
    setOwn(container, key, value[key] ?? null);
  }
  return true;
}

/** A new container with the sum of two containers of the same type; undefined for anything else. */
function merged(left: JsonValue, right: JsonValue): JsonValue[] | Record<string, JsonValue> | undefined {
  if (isArray(left) && isArray(right)) {
    meter().places(left.length + right.length);
    return [...left, ...right];
  }
  if (!isObject(left) || !isObject(right)) return undefined;
  return mergeObjects(left, right);
}

/** Drops values equal to the previous one; the input must be sorted. */
function unique(sorted: readonly JsonValue[]): JsonValue[] {
  return sorted.filter((value, index) => index === 0 || compareValues(sorted[index - 1] ?? null, value) !== 0);
}

/** The smallest value (`direction` -1, the first of equals) or the largest (1, the last of equals). */
function extreme(input: JsonValue, direction: -1 | 1): JsonValue {
  if (!isArray(input)) return raise(`${describe(input)} and ${describe(input)} cannot be iterated over`);
  let best: JsonValue | undefined;
  for (const value of input) {
    if (best === undefined) best = value;
    else if (direction === 1 ? compareValues(value, best) >= 0 : compareValues(value, best) < 0) best = value;
  }
  return best ?? null;
}

/** The elements of `values`, with arrays inside them opened down to `depth` levels. */
function flatten(values: readonly JsonValue[], depth: number): JsonValue[] {
  const flat: JsonValue[] = [];
  // The arrays that are open, the innermost last; they may be nested deeper than the call stack.
  const open = [values.values()];
  for (let items = open.at(-1); items !== undefined; items = open.at(-1)) {
    meter().tick();
    const { done, value } = items.next();
    if (done === true) open.pop();
    else if (isArray(value) && open.length <= depth) open.push(value.values());
    else flat.push(value);
  }
  return flat;
}

const KEY_NAMES = ['key', 'k', 'name', 'Name', 'K', 'Key'];
const VALUE_NAMES = ['value', 'v', 'Value', 'V'];

function fromEntries(input: JsonValue): JsonValue {
  const object: Record<string, JsonValue> = {};
  for (const entry of elements(input)) {
    meter().spend(4);
    if (!isObject(entry)) raise(`Cannot index ${typeName(entry)} with string ("key")`);
    const own = ownValue(entry, 'key');
    const named = KEY_NAMES.map((name) => ownValue(entry, name)).find(isTruthy);
    const key = own ?? named ?? null;
    const valueName = VALUE_NAMES.find((name) => Object.hasOwn(entry, name));
    setOwn(
      object,
      typeof key === 'string' ? key : jsonText(key),
      valueName === undefined ? null : ownValue(entry, valueName),
    );
  }
  return object;
}

function transpose(input: JsonValue): JsonValue {
  const rows = elements(input).map((row) =>
    row === null ? [] : expectArray(row, 'cannot be transposed, as it is not an array'),
  );
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  meter().places(width * rows.length);
  return Array.from({ length: width }, (_unused, index) => rows.map((row) => row[index] ?? null));
}

/** The index of `target` in a sorted array, or `-1 - n` if it would have to be inserted at the index n. */
function search(input: JsonValue, target: JsonValue): JsonValue {
  const values = expectArray(input, 'cannot be searched from');
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compareValues(values[middle] ?? null, target);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1 - low;
}
