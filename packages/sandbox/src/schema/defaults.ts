import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { mapMembers, propertiesOf } from './structural-schema.ts';

/** Returns the object with the defaults of its schema; a null that the schema does not allow counts as absent. */
export function fillSchemaDefaults(object: JsonObject, schema: JsonObject): JsonObject {
  const filled = fill(object, schema);
  return isJsonObject(filled) ? filled : object;
}

function fill(value: JsonValue, schema: JsonObject): JsonValue {
  const cleaned = mapMembers(value, schema, (member, memberSchema, name) =>
    name !== '' && member === null && memberSchema !== undefined && memberSchema['nullable'] !== true
      ? undefined
      : member,
  );
  const defaulted = isJsonObject(cleaned) ? { ...defaultsMissingFrom(cleaned, schema), ...cleaned } : cleaned;
  return mapMembers(defaulted, schema, (member, memberSchema) =>
    memberSchema === undefined ? member : fill(member, memberSchema),
  );
}

function defaultsMissingFrom(object: JsonObject, schema: JsonObject): JsonObject {
  const missing = propertiesOf(schema).filter(([name]) => !Object.hasOwn(object, name));
  return Object.fromEntries(
    missing.flatMap(([name, property]) => {
      const value = property['default'];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
