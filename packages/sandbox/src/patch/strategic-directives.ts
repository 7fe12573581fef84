import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import type { PatchRefused } from './patch-refused.ts';
import { internal } from './patch-refused.ts';

/** The directive of an object or a list item: `replace` or `delete`; `merge` is refused. */
export const PATCH = '$patch';

/** The only keys that an object keeps. */
export const RETAIN_KEYS = '$retainKeys';

/** The order of a list's items; the name of the list's field follows. */
export const ELEMENT_ORDER = '$setElementOrder/';

/** The scalars to remove from a list; the name of the list's field follows. */
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';

/** Whether a key of a patch is a directive and not a field. */
export function isDirective(key: string): boolean {
  return key === PATCH || key === RETAIN_KEYS || key.startsWith(ELEMENT_ORDER) || key.startsWith(DELETE_FROM_LIST);
}

/** Returns a value without the objects that have a `$patch` directive, at any depth. */
export function withoutDirectives<T extends JsonValue>(value: T): T;
export function withoutDirectives(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.filter(isKept).map((item) => withoutDirectives(item));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => isKept(member));
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutDirectives(member)]));
}

function isKept(value: JsonValue): boolean {
  return !isJsonObject(value) || value[PATCH] === undefined;
}

/** The refusal of an unknown `$patch` directive. */
export function unknownDirective(patch: JsonObject): PatchRefused {
  return internal(`unknown patch type: ${printGo(patch[PATCH] ?? null)} in map: ${printGo(patch)}`);
}

/** The refusal of a list item without its merge key. */
export function withoutMergeKey(item: JsonValue, key: string): PatchRefused {
  return internal(`map: ${printGo(item)} does not contain declared merge key: ${key}`);
}

/** Formats a value as Go does, as the server quotes it in messages. */
export function printGo(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (isJsonArray(value)) return printGoList(value);
  if (!isJsonObject(value)) return String(value);
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `map[${members.map(([key, member]) => `${key}:${printGo(member)}`).join(' ')}]`;
}

function printGoList(list: JsonArray): string {
  return `[${list.map(printGo).join(' ')}]`;
}
