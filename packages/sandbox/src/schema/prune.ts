import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { mapMembers, OBJECT_FIELDS } from './structural-schema.ts';

/** Returns the object without the fields that its structural schema neither specifies nor preserves. */
export function pruneUnknownFields(object: JsonObject, schema: JsonObject): JsonObject {
  const pruned = prune(object, { ...schema, 'x-kubernetes-embedded-resource': true });
  return isJsonObject(pruned) ? pruned : object;
}

function prune(value: JsonValue, schema: JsonObject): JsonValue {
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true || schema['additionalProperties'] === true;
  return mapMembers(value, schema, (member, memberSchema, name) => {
    if (isResource && OBJECT_FIELDS.has(name)) return member;
    if (memberSchema !== undefined) return prune(member, memberSchema);
    return preserves || name === '' ? member : undefined;
  });
}
