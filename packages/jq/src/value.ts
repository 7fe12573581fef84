import { meter } from './meter.ts';

/** A JSON value as `JSON.parse` makes it; numbers may also be NaN or infinite inside a program. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; it is never changed in place. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The most levels that a value may have to be parsed, written, compared or addressed by a path, as in jq. */
export const MAX_DEPTH = 10_000;

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** The type of `value` as jq's `type` names it. */
export function typeName(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (isArray(value)) return 'array';
  const type = typeof value;
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

/** The own keys of `object`; counts the work, which grows with their number. */
export function ownKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  meter().spend(keys.length >>> 4);
  return keys;
}

/** Sets an own property, whatever its name, even `__proto__`. Nothing else may hold a reference to the object yet. */
export function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** Returns a copy of `object` with `key` set. */
export function withKey(object: JsonObject, key: string, value: JsonValue): JsonObject {
  meter().places(ownKeys(object).length + 1);
  const copy: Record<string, JsonValue> = { ...object };
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
