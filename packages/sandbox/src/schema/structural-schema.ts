import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';

/** The schema of a member of an object; undefined if the schema does not specify the member. */
export function memberSchema(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = schema['properties'];
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (isJsonObject(property)) return property;
  const extra = schema['additionalProperties'];
  return isJsonObject(extra) ? extra : undefined;
}

/** The schema of the items of an array. */
export function itemSchema(schema: JsonObject): JsonObject | undefined {
  const items = schema['items'];
  return isJsonObject(items) ? items : undefined;
}

/** The named properties of a schema with their schemas. */
export function propertiesOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]) => (isJsonObject(property) ? [[name, property]] : []));
}

/** Rebuilds a value member by member, each with its schema; undefined leaves a member out. */
export function mapMembers(
  value: JsonValue,
  schema: JsonObject,
  map: (member: JsonValue, schema: JsonObject | undefined, name: string) => JsonValue | undefined,
): JsonValue {
  if (isJsonArray(value)) {
    const items = itemSchema(schema);
    return value.map((item) => map(item, items, '') ?? null);
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const mapped = map(member, memberSchema(schema, name), name);
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );
}

/** The fields of every object of the API, which a schema need not specify. */
export const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
