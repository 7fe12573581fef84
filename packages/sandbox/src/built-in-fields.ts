import { at, present, without } from './json-fields.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { ServedKind } from './kind.ts';
import type { Field } from './messages/field.ts';
import { fieldsOf, membersOf, messageOfKind } from './messages/messages.ts';
import { badRequest } from './status-error.ts';

/**
 * Returns a built-in object without the fields that its kind does not have, at any depth; with `strict` it throws if
 * there are any.
 */
export function withKnownFields(kind: ServedKind, object: JsonObject, strict: boolean): JsonObject {
  const message = messageOfKind(kind);
  if (message === undefined) return object;
  const unknown: string[] = [];
  const known = knownMembers(message, without(object, ...TYPE_FIELDS), '', unknown);
  if (strict && unknown.length > 0) throw strictError(kind, unknown);
  const types = Object.fromEntries(TYPE_FIELDS.map((name) => [name, at(object, name)]));
  return { ...present(types), ...known };
}

const TYPE_FIELDS = ['kind', 'apiVersion'];

function strictError({ kind, version }: ServedKind, unknown: readonly string[]): Error {
  const problems = unknown.map((name) => `unknown field "${name}"`).join(', ');
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems}`,
  );
}

function knownMembers(message: string, object: JsonObject, path: string, unknown: string[]): JsonObject {
  const fields = membersOf(message);
  const known: { [name: string]: JsonValue } = {};
  for (const [name, value] of Object.entries(object)) {
    const inner = path === '' ? name : `${path}.${name}`;
    const field = fields.get(name);
    if (field === undefined) unknown.push(inner);
    else known[name] = knownPart(field, value, inner, unknown);
  }
  return known;
}

function knownPart({ shape, type }: Field, value: JsonValue, path: string, unknown: string[]): JsonValue {
  if (fieldsOf(type) === undefined) return value;
  const part = (inner: JsonValue, place: string): JsonValue =>
    isJsonObject(inner) ? knownMembers(type, inner, place, unknown) : inner;
  if (shape === 'one') return part(value, path);
  if (isJsonArray(value)) return value.map((entry, index) => part(entry, `${path}[${index}]`));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, part(entry, `${path}.${key}`)]));
}
