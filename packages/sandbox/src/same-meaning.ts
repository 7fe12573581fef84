import { isDeepStrictEqual } from 'node:util';
import { isJsonArray, isJsonObject, type JsonArray, type JsonValue } from './json.ts';
import type { Field } from './messages/field.ts';
import { membersOf } from './messages/messages.ts';
import { amountOf } from './quantity.ts';

type Part = JsonValue | undefined;

/**
 * Whether two values of a message, such as `core/v1.PodSpec`, mean the same to an API server: what is empty counts as
 * absent, except behind a pointer, and quantities are compared by value.
 */
export function meansSame(message: string, one: Part, other: Part): boolean {
  for (const [name, field] of membersOf(message)) {
    if (!isSameField(field, memberOf(one, name), memberOf(other, name))) return false;
  }
  return true;
}

function isSameField(field: Field, one: Part, other: Part): boolean {
  if (field.shape === 'list') return isSameList(field, listOf(one), listOf(other));
  if (field.shape === 'map') return isSameMap(field, one, other);
  if (field.pointer && (isNone(one) || isNone(other))) return isNone(one) && isNone(other);
  return isSameOne(field, one, other);
}

function isSameList(field: Field, ones: JsonArray, others: JsonArray): boolean {
  return ones.length === others.length && ones.every((one, index) => isSameOne(field, one, others[index]));
}

function isSameMap(field: Field, one: Part, other: Part): boolean {
  const keys = keysOf(one);
  if (keys.length !== keysOf(other).length) return false;
  return keys.every((key) => {
    const member = memberOf(other, key);
    return member !== undefined && isSameOne(field, memberOf(one, key), member);
  });
}

function isSameOne({ type }: Field, one: Part, other: Part): boolean {
  if (membersOf(type).size > 0) return meansSame(type, one, other);
  if (type === 'quantity') return amountOf(one) === amountOf(other);
  return isDeepStrictEqual(isZero(one) ? null : one, isZero(other) ? null : other);
}

/** Whether it is what Go has where nothing is set. Values behind pointers are asked after only if both are set. */
function isZero(value: Part): boolean {
  return isNone(value) || value === '' || value === 0 || value === false;
}

function isNone(value: Part): value is null | undefined {
  return value === undefined || value === null;
}

function listOf(value: Part): JsonArray {
  return isJsonArray(value) ? value : [];
}

function keysOf(value: Part): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

function memberOf(value: Part, name: string): Part {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
