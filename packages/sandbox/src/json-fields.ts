import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from './json.ts';

/** The value at `path` inside `value`, or undefined if there is none. */
export function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let found = value;
  for (const step of path) {
    if (!isJsonObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}

/** The object at `path`; an empty one if there is none. */
export function objectAt(value: JsonValue | undefined, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isJsonObject(found) ? found : {};
}

/** The array at `path`; an empty one if there is none. */
export function arrayAt(value: JsonValue | undefined, ...path: readonly string[]): JsonArray {
  const found = at(value, ...path);
  return isJsonArray(found) ? found : [];
}

/** The strings of the array at `path`. */
export function textsAt(value: JsonValue | undefined, ...path: readonly string[]): readonly string[] {
  return arrayAt(value, ...path).filter((entry) => typeof entry === 'string');
}

/** The string fields of the object at `path`, such as labels or annotations. */
export function stringMapAt(
  value: JsonValue | undefined,
  ...path: readonly string[]
): readonly (readonly [string, string])[] {
  return Object.entries(objectAt(value, ...path)).flatMap(([name, entry]) =>
    typeof entry === 'string' ? [[name, entry] as const] : [],
  );
}

/** The objects of the array at `path`. */
export function objectsAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] {
  return arrayAt(value, ...path).filter(isJsonObject);
}

/** The string at `path`; an empty one if there is none, as in Go. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The number at `path`, or undefined. */
export function numberAt(value: JsonValue | undefined, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

/** Returns a copy of `object` with `value` at `path`; missing objects on the way are created. */
export function withAt(object: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [step, ...rest] = path;
  if (step === undefined) return object;
  return { ...object, [step]: rest.length === 0 ? value : withAt(objectAt(object, step), rest, value) };
}

/** Returns a copy of `object` with `defaults` filled in at `path`, where its own value is missing, null or `{}`. */
export function withDefaultsAt(object: JsonObject, path: readonly string[], defaults: JsonObject): JsonObject {
  const own = objectAt(object, ...path);
  const missing = Object.fromEntries(Object.entries(defaults).filter(([name]) => saysNothing(at(own, name))));
  return path.length === 0 ? { ...own, ...missing } : withAt(object, path, { ...own, ...missing });
}

function saysNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Returns a copy of `object` without the named fields. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Returns `fields` as a JSON object, without those that are undefined. */
export function present(fields: { readonly [name: string]: JsonValue | undefined }): JsonObject {
  const result: { [name: string]: JsonValue } = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result[name] = value;
  return result;
}
