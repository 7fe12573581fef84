import type { JsonObject } from './json.ts';
import { apiVersionOf, type ServedKind } from './kind.ts';
import { arranged } from './object-meta.ts';
import type { StoredObject } from './storage.ts';

/** Converts a stored object to `kind`'s version. */
export function served(kind: ServedKind, object: JsonObject): JsonObject {
  const converted = kind.conversion === undefined ? object : kind.conversion.fromStored(object);
  return { ...converted, apiVersion: apiVersionOf(kind) };
}

/** Converts an object of `kind`'s version to the form in which it is stored. */
export function toStored(kind: ServedKind, object: JsonObject): JsonObject {
  const converted = kind.conversion === undefined ? object : kind.conversion.toStored(object);
  return arranged({ ...converted, kind: kind.kind, apiVersion: kind.storedApiVersion });
}

/** The JSON of a stored object in `kind`'s version. */
export function objectText(kind: ServedKind, stored: StoredObject): string {
  if (kind.conversion !== undefined) return JSON.stringify(served(kind, stored.object));
  return `{${typeFields(kind, kind.kind)},${stored.tail}`;
}

/** The JSON of a stored object as an item of a list; built-in kinds omit kind and apiVersion there. */
export function itemText(kind: ServedKind, stored: StoredObject): string {
  if (kind.custom !== undefined) return objectText(kind, stored);
  if (kind.conversion === undefined) return `{${stored.tail}`;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = served(kind, stored.object);
  return JSON.stringify(rest);
}

/** `"kind":…,"apiVersion":…` in the order that the server uses for built-in and for custom kinds. */
export function typeFields(kind: ServedKind, name: string): string {
  const [kindField, versionField] = [`"kind":"${name}"`, `"apiVersion":"${apiVersionOf(kind)}"`];
  return kind.custom === undefined ? `${kindField},${versionField}` : `${versionField},${kindField}`;
}
