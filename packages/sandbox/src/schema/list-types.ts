import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import type { FieldProblem } from './field-problems.ts';
import { itemSchema, memberSchema } from './structural-schema.ts';

/** Finds the items that occur twice in lists of type `set` and `map`. */
export function duplicateItems(value: JsonValue, schema: JsonObject, field = ''): readonly FieldProblem[] {
  if (isJsonArray(value)) return [...duplicatesIn(value, schema, field), ...inItems(value, schema, field)];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = memberSchema(schema, name);
    return below === undefined ? [] : duplicateItems(member, below, field === '' ? name : `${field}.${name}`);
  });
}

function inItems(list: JsonArray, schema: JsonObject, field: string): readonly FieldProblem[] {
  const items = itemSchema(schema);
  if (items === undefined) return [];
  return list.flatMap((item, index) => duplicateItems(item, items, `${field}[${index}]`));
}

function duplicatesIn(list: JsonArray, schema: JsonObject, field: string): readonly FieldProblem[] {
  const identify = identityFor(schema);
  if (identify === undefined) return [];
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const identity = JSON.stringify(identify(item));
    if (!seen.has(identity)) {
      seen.add(identity);
      return [];
    }
    return [{ field: `${field}[${index}]`, reason: 'FieldValueDuplicate', message: `Duplicate value: ${identity}` }];
  });
}

function identityFor(schema: JsonObject): ((item: JsonValue) => JsonValue) | undefined {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return (item) => item;
  const keys = schema['x-kubernetes-list-map-keys'];
  if (type !== 'map' || !isJsonArray(keys)) return undefined;
  const names = keys.filter((key) => typeof key === 'string').toSorted();
  return (item) =>
    isJsonObject(item)
      ? Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])))
      : item;
}
