import { compareStrings } from './compare-text.ts';
import { meter } from './meter.ts';

/**
 * A JSON value as `JSON.parse` makes it; numbers may also be NaN or infinite inside a program, or symbols that stand for
 * number literals (see number-literal.ts).
 */
export type JsonValue = null | boolean | number | string | symbol | readonly JsonValue[] | JsonObject;

/** A JSON object; it is never changed in place. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
  /** See `ownKeys`. */
  readonly [ORDER]?: string[];
}

const ORDER = Symbol('the order of keys');

/** An object that is being made: nothing else holds a reference to it yet. */
type NewObject = Record<string, JsonValue> & { readonly [ORDER]?: string[] };

/** The most levels that a value may have to be parsed, written, compared or addressed by a path, as in jq. */
export const MAX_DEPTH = 10_000;

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** The type of `value` as jq's `type` names it. */
export function typeName(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'symbol') return 'number';
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

export function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether jq counts `value` as true: anything but null and false. */
export function isTruthy(value: JsonValue): boolean {
  return value !== null && value !== false;
}

/** The own property `key` of `object`, or null; inherited properties such as `constructor` do not count. */
export function ownValue(object: JsonObject, key: string): JsonValue {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

/**
 * The own keys of `object` in the order in which they were set; counts the work, which grows with their number.
 *
 * JavaScript puts keys that look like array indices first, in the order of the numbers. An object that was made here and
 * has such a key has the true order of its keys in a hidden property. Where there is none, the object comes from
 * JSON.parse; then the order is that of the code points, in which the API server writes the keys of maps.
 */
export function ownKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  meter().spend(keys.length >>> 4);
  return startsWithIndex(keys) ? inOrder(object[ORDER], keys) : keys;
}

function inOrder(order: readonly string[] | undefined, keys: string[]): string[] {
  meter().spend(keys.length);
  return order === undefined ? keys.toSorted(compareStrings) : order.slice();
}

const MAX_INDEX = 2 ** 32 - 2;
const MAX_INDEX_LENGTH = 10;

/** Whether JavaScript takes the key for an array index. */
export function isIndexLike(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57 && isIndex(key);
}

function isIndex(key: string): boolean {
  if (key.length > MAX_INDEX_LENGTH) return false;
  return (key === '0' || /^[1-9]\d*$/.test(key)) && Number(key) <= MAX_INDEX;
}

/** Sets an own property, whatever its name, even `__proto__`. Nothing else may hold a reference to the object yet. */
export function setOwn(object: NewObject, key: string, value: JsonValue): void {
  if (isIndexLike(key) || (isAnyOrdered && object[ORDER] !== undefined)) addToOrder(object, key);
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

// Whether an object with an order of its own was ever made; until then `setOwn` need not look for one.
let isAnyOrdered = false;

function addToOrder(object: NewObject, key: string): void {
  if (Object.hasOwn(object, key)) return;
  let order = object[ORDER];
  if (order === undefined) {
    order = ownKeys(object);
    isAnyOrdered = true;
    Object.defineProperty(object, ORDER, { value: order });
  }
  order.push(key);
}

/** A copy of an object, which may be changed. */
export function copyObject(object: JsonObject): Record<string, JsonValue> {
  const copy: NewObject = { ...object };
  const order = object[ORDER];
  if (order !== undefined) Object.defineProperty(copy, ORDER, { value: order.slice() });
  return copy;
}

/** A new object with the members of both; of a key that both have, the value of the right. */
export function mergeObjects(left: JsonObject, right: JsonObject): Record<string, JsonValue> {
  const leftKeys = Object.keys(left);
  const rightKeys = Object.keys(right);
  meter().places(leftKeys.length + rightKeys.length);
  if (!startsWithIndex(leftKeys) && !startsWithIndex(rightKeys)) return { ...left, ...right };
  const merged = copyObject(left);
  for (const key of ownKeys(right)) setOwn(merged, key, ownValue(right, key));
  return merged;
}

/** Whether an index is among keys in JavaScript's order. */
function startsWithIndex(keys: readonly string[]): boolean {
  const first = keys[0];
  return first !== undefined && isIndexLike(first);
}

/** Returns a copy of `object` with `key` set. */
export function withKey(object: JsonObject, key: string, value: JsonValue): JsonObject {
  meter().places(ownKeys(object).length + 1);
  const copy = copyObject(object);
  setOwn(copy, key, value);
  return copy;
}

/** Whether the string contains surrogates, so that its length in UTF-16 units may differ from that in code points. */
export function hasSurrogates(text: string): boolean {
  return /[\uD800-\uDFFF]/.test(text);
}

/** The number of code points, as jq's `length` counts. */
export function codePointLength(text: string): number {
  meter().text(text.length);
  if (!hasSurrogates(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
