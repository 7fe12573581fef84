/* Changes of JSON values, as new values. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';

/** A copy of the value with another one at the path; undefined removes it. */
export function replaced(value: JsonObject, path: string, by: JsonValue | undefined): JsonObject {
  const changed = setAt(value, path.split('/').slice(1), by);
  return isJsonObject(changed) ? changed : value;
}

function setAt(
  value: JsonValue | undefined,
  parts: readonly string[],
  by: JsonValue | undefined,
): JsonValue | undefined {
  const [part, ...rest] = parts;
  if (part === undefined) return by;
  const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
  if (isJsonArray(value)) {
    return value.flatMap((item, index) => {
      const set = String(index) === key ? setAt(item, rest, by) : item;
      return set === undefined ? [] : [set];
    });
  }
  const object = isJsonObject(value) ? value : {};
  const set = setAt(object[key], rest, by);
  const others = Object.entries(object).filter(([name]) => name !== key);
  return Object.fromEntries(set === undefined ? others : [...others, [key, set]]);
}

/** The merge patch that makes the second value of the first. */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  const entries = [...keys].flatMap((key): [string, JsonValue][] => {
    const [before, after] = [from[key], to[key]];
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    if (isJsonObject(before) && isJsonObject(after)) return [[key, mergePatch(before, after)]];
    return [[key, after ?? null]];
  });
  return Object.fromEntries(entries);
}
