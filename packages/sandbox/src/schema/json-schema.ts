import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import { FORMATS } from './formats.ts';

/**
 * Converts a structural schema to a JSON Schema (draft 7) that accepts the same values; `problems` names what cannot be
 * converted and is left out.
 */
export function toJsonSchema(schema: JsonObject): {
  readonly jsonSchema: JsonObject;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  return { jsonSchema: translate(schema, 'openAPIV3Schema', problems), problems };
}

function translate(schema: JsonObject, path: string, problems: string[]): JsonObject {
  if (schema['x-kubernetes-validations'] !== undefined) {
    problems.push(`${path}: x-kubernetes-validations are not evaluated`);
  }
  const kept = Object.entries(schema).filter(([keyword]) => COPIED.has(keyword));
  return {
    ...Object.fromEntries(kept),
    ...valueType(schema),
    ...limits(schema),
    ...requiredFields(schema),
    ...textKeywords(schema, path, problems),
    ...below(schema, path, problems),
  };
}

const COPIED: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'multipleOf',
]);

function valueType(schema: JsonObject): JsonObject {
  const isNullable = schema['nullable'] === true;
  const declared = schema['type'];
  const types: JsonArray = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : typed(declared);
  const options = schema['enum'];
  return {
    ...(types.length > 0 && { type: isNullable ? [...types, 'null'] : types }),
    ...(isJsonArray(options) && { enum: isNullable ? [...options, null] : options }),
  };
}

function requiredFields(schema: JsonObject): JsonObject {
  const required = isJsonArray(schema['required']) ? schema['required'] : [];
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  return { required: isResource ? [...new Set(['apiVersion', 'kind', ...required])] : required };
}

function typed(declared: JsonValue | undefined): JsonArray {
  return typeof declared === 'string' ? [declared] : [];
}

/** In OpenAPI a flag makes a limit exclusive; in JSON Schema another keyword does. */
function limits(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return {
    ...(minimum !== undefined && { [exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum !== undefined && { [exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
  };
}

function textKeywords({ pattern, format }: JsonObject, path: string, problems: string[]): JsonObject {
  const translated = typeof pattern === 'string' ? toJavaScript(pattern) : undefined;
  if (typeof pattern === 'string' && translated === undefined) {
    problems.push(`${path}: pattern ${JSON.stringify(pattern)} is not checked`);
  }
  return {
    ...(translated !== undefined && { pattern: translated }),
    ...(typeof format === 'string' && Object.hasOwn(FORMATS, format) && { format }),
  };
}

/** In Go, flags for a whole pattern stand at its start; in JavaScript they must be in a group around it. */
function toJavaScript(pattern: string): string | undefined {
  const flagged = /^\(\?([ims]+)\)(.*)$/s.exec(pattern);
  const source = flagged === null ? pattern : `(?${flagged[1]}:${flagged[2]})`;
  try {
    return new RegExp(source).source === '' ? undefined : source;
  } catch {
    return undefined;
  }
}

function below(schema: JsonObject, path: string, problems: string[]): JsonObject {
  const result: Record<string, JsonValue> = {};
  const properties = schema['properties'];
  if (isJsonObject(properties)) {
    const translated = Object.entries(properties).map(([name, property]) => [
      name,
      isJsonObject(property) ? translate(property, `${path}.properties.${name}`, problems) : {},
    ]);
    result['properties'] = Object.fromEntries(translated);
  }
  for (const keyword of ['additionalProperties', 'items', 'not']) {
    const inner = schema[keyword];
    if (isJsonObject(inner)) result[keyword] = translate(inner, `${path}.${keyword}`, problems);
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const inner = schema[keyword];
    if (!isJsonArray(inner)) continue;
    result[keyword] = inner.map((one, index) =>
      isJsonObject(one) ? translate(one, `${path}.${keyword}[${index}]`, problems) : {},
    );
  }
  return result;
}
