import { meter } from './meter.ts';

/** A JSON value as `JSON.parse` makes it; numbers may also be NaN or infinite inside a program. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

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

export function isTruthy(value: JsonValue): boolean {
  return value !== null && value !== false;
}

/** The own property `key` of `object`, or null; inherited names such as `constructor` are never seen. */
export function ownValue(object: JsonObject, key: string): JsonValue {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

/** The own keys of `object`; reading them takes as long as there are many. */
export function ownKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  meter().spend(keys.length >>> 4);
  return keys;
}

/** Sets an own property of an object that nobody else has seen yet, whatever its name. */
export function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** A copy of `object` with `key` set. */
export function withKey(object: JsonObject, key: string, value: JsonValue): JsonObject {
  meter().places(ownKeys(object).length + 1);
  const copy: Record<string, JsonValue> = { ...object };
  setOwn(copy, key, value);
  return copy;
}

/** Whether the string has characters outside the basic plane, which JavaScript counts twice. */
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
