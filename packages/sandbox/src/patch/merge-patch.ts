import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import { jsonTypeOf } from './json-patch.ts';
import { badRequest } from './patch-refused.ts';

/** Applies a merge patch (RFC 7386): objects merge, a null removes, anything else replaces. Throws PatchRefused. */
export function applyMergePatch(current: JsonObject, patch: unknown): JsonObject {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isJsonObject(patch)) {
    const message = `cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding patch: json: ${message}`);
  }
  return mergeObjects(current, patch);
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(current));
  for (const [key, value] of Object.entries(patch)) {
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else
      merged.set(key, isJsonObject(before) && isJsonObject(value) ? mergeObjects(before, value) : withoutNulls(value));
  }
  return Object.fromEntries(merged);
}

/** Returns a value without the null members of its objects, at any depth. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member)]));
}
