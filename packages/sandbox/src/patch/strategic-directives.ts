import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import type { PatchRefused } from './patch-refused.ts';
import { internal } from './patch-refused.ts';

/** The directive of a map or list item: `replace`, `delete` or, refused, `merge`. */
export const PATCH = '$patch';

/** The only keys of a map that stay. */
export const RETAIN_KEYS = '$retainKeys';

/** The order of a list's items; a field name follows. */
export const ELEMENT_ORDER = '$setElementOrder/';

/** What to take out of a list of scalars; a field name follows. */
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';

/** Whether a key of a patch is an instruction, not a field. */
export function isDirective(key: string): boolean {
  return key === PATCH || key === RETAIN_KEYS || key.startsWith(ELEMENT_ORDER) || key.startsWith(DELETE_FROM_LIST);
}

/** A value without the maps that only carry a `$patch` directive. */
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

/** A `$patch` that means nothing. */
export function unknownDirective(patch: JsonObject): PatchRefused {
  return internal(`unknown patch type: ${printGo(patch[PATCH] ?? null)} in map: ${printGo(patch)}`);
}

/** An item of a merging list that does not say which item it is. */
export function withoutMergeKey(item: JsonValue, key: string): PatchRefused {
  return internal(`map: ${printGo(item)} does not contain declared merge key: ${key}`);
}

/** A value as Go prints it, which is how the server quotes it. */
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
