import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { isJsonObject } from '@hooklet/sandbox';

/** A field without fields of its own. */
export interface Leaf {
  /** `spec.members[].port`; `[]` stands for the first element of a list, `{}` for the key `key` of a mapping. */
  readonly path: string;
  /** Two values that differ, the first not the default; fewer where the schema does not say what is a value. */
  readonly values: readonly JsonValue[];
}

/** The leaves of `spec` in the schema of a version of a CustomResourceDefinition, by default the one that is stored. */
export function leavesOf(definition: JsonObject, version?: string): readonly Leaf[] {
  const versions = objectsAt(definition, 'spec', 'versions');
  const found = versions.find((one) => (version === undefined ? one['storage'] === true : one['name'] === version));
  const spec = objectAt(found, 'schema', 'openAPIV3Schema', 'properties', 'spec');
  const leaves = below(spec, 'spec');
  if (leaves.length === 0) throw new Error(`${textAt(definition, 'metadata', 'name')} has no field in spec`);
  return leaves;
}

function below(schema: JsonObject, path: string): readonly Leaf[] {
  const fields = Object.entries(objectAt(schema, 'properties'));
  if (fields.length > 0) {
    return fields.flatMap(([name, field]) => (isJsonObject(field) ? below(field, `${path}.${name}`) : []));
  }
  const { items, additionalProperties: values } = schema;
  if (isJsonObject(items)) return below(items, `${path}[]`);
  if (isJsonObject(values)) return below(values, `${path}{}`);
  return [{ path, values: valuesOf(schema) }];
}

function valuesOf(schema: JsonObject): readonly JsonValue[] {
  const { default: byDefault } = schema;
  const choices = textsAt(schema, 'enum');
  if (choices.length > 0)
    return choices
      .filter((one) => one !== byDefault)
      .concat(choices)
      .slice(0, 2);
  switch (textAt(schema, 'type')) {
    case 'boolean':
      return byDefault === true ? [false, true] : [true, false];
    case 'integer':
      return integers(schema);
    default:
      return [];
  }
}

/** Two numbers within the bounds, neither of them the default, nor 1, which is what most hooks take without a default. */
function integers({ minimum, maximum, default: byDefault }: JsonObject): readonly JsonValue[] {
  const least = typeof minimum === 'number' ? minimum : 1;
  const most = typeof maximum === 'number' ? maximum : least + 5;
  const all = Array.from({ length: Math.min(6, most - least + 1) }, (_, at) => least + at);
  return all.filter((one) => one !== byDefault && one > 1).slice(0, 2);
}
