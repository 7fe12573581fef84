import { isDeepStrictEqual } from 'node:util';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { CustomVersion, ServedKind } from './kind.ts';
import { compileCustomResourceSchema } from './schema/custom-resource-schema.ts';
import { badRequest, type Cause } from './status-error.ts';

type CompiledSchema = ReturnType<typeof compileCustomResourceSchema>;

const compiledSchemas = new WeakMap<JsonObject, CompiledSchema>();

/** Returns the compiled schema of a custom resource; each schema is compiled once. */
function compiledSchema(schema: JsonObject): CompiledSchema {
  const compiled = compiledSchemas.get(schema) ?? compileCustomResourceSchema(schema);
  compiledSchemas.set(schema, compiled);
  return compiled;
}

/** Prunes a custom object, fills in its defaults and validates it, by the schema of its version. */
export function admitCustomObject(
  kind: ServedKind,
  version: CustomVersion,
  object: JsonObject,
  { strict }: { readonly strict: boolean },
): { readonly object: JsonObject; readonly causes: readonly Cause[] } {
  const schema = compiledSchema(version.schema);
  const pruned = schema.prune(object);
  if (strict && !isDeepStrictEqual(pruned, object)) refuseUnknownFields(kind, object, pruned);
  const filled = schema.fillDefaults(pruned);
  const causes: readonly Cause[] = schema.validate(filled);
  return { object: filled, causes };
}

/** What is invalid because an apply left null of an object that it emptied; elsewhere a null counts as absent. */
export function emptiedCauses(version: CustomVersion, object: JsonObject): readonly Cause[] {
  return compiledSchema(version.schema)
    .validate(object)
    .filter(({ message }) => message.includes('Invalid value: "null"'));
}

/** Returns a custom object without the fields that a version does not have. */
export function prunedToVersion(version: CustomVersion, object: JsonObject): JsonObject {
  return compiledSchema(version.schema).prune(object);
}

/** Returns a custom object with the defaults of a version. */
export function filledInVersion(version: CustomVersion, object: JsonObject): JsonObject {
  return compiledSchema(version.schema).fillDefaults(object);
}

function refuseUnknownFields(kind: ServedKind, object: JsonObject, pruned: JsonObject): void {
  const fields = unknownFields(object, pruned, '').map((field) => `unknown field "${field}"`);
  if (fields.length === 0) return;
  const message = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: strict decoding error: ${fields.join(', ')}`;
  throw badRequest(message);
}

function unknownFields(value: JsonValue, pruned: JsonValue | undefined, path: string): readonly string[] {
  if (isJsonArray(value)) {
    const kept = isJsonArray(pruned) ? pruned : [];
    return value.flatMap((entry, index) => unknownFields(entry, kept[index], `${path}[${index}]`));
  }
  if (!isJsonObject(value) || !isJsonObject(pruned)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = path === '' ? name : `${path}.${name}`;
    return Object.hasOwn(pruned, name) ? unknownFields(inner, pruned[name], field) : [field];
  });
}
