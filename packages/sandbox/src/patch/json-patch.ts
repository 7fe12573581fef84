import { isDeepStrictEqual } from 'node:util';
import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import { badRequest, PatchRefused, unprocessable } from './patch-refused.ts';

const MAX_OPERATIONS = 10_000;

/**
 * Applies a JSON Patch (RFC 6902) as the API server's library does: indices may be negative, and `replace` adds a
 * missing key of an object. Throws PatchRefused.
 */
export function applyJsonPatch(current: JsonObject, patch: unknown): JsonObject {
  const operations = parseOperations(patch);
  const patched = operations.reduce<JsonValue>(applyOperation, current);
  if (!isJsonObject(patched)) throw unprocessable();
  return patched;
}

function parseOperations(patch: unknown): readonly JsonObject[] {
  if (!isJsonArray(patch)) throw undecodable(patch, '[]handlers.jsonPatchOp');
  if (patch.length > MAX_OPERATIONS) throw tooMany(patch.length);
  return patch.map((operation) => {
    if (!isJsonObject(operation)) throw undecodable(operation, 'handlers.jsonPatchOp');
    return operation;
  });
}

function undecodable(value: unknown, into: string): PatchRefused {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${into}`);
}

/** The name of a JSON value's type in the messages of Go's decoder. */
export function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function tooMany(count: number): PatchRefused {
  const message = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count}`;
  return new PatchRefused({ code: 413, reason: 'RequestEntityTooLarge', message });
}

function applyOperation(document: JsonValue, operation: JsonObject): JsonValue {
  const value = operation['value'] ?? null;
  const add = (node: JsonValue, added: JsonValue): JsonValue =>
    editAt(node, pointer(operation, 'path'), (container, key) => insert(container, key, added));
  switch (nameOf(operation)) {
    case 'add':
      return add(document, value);
    case 'remove':
      return editAt(document, pointer(operation, 'path'), remove);
    case 'replace':
      return replace(document, operation, value);
    case 'move': {
      const from = pointer(operation, 'from');
      return add(editAt(document, from, remove), read(document, from) ?? null);
    }
    case 'copy':
      return add(document, read(document, pointer(operation, 'from')) ?? null);
    case 'test':
      return test(document, operation, value);
    default:
      throw unprocessable();
  }
}

function nameOf({ op }: JsonObject): string {
  return typeof op === 'string' ? op : '';
}

function replace(document: JsonValue, operation: JsonObject, value: JsonValue): JsonValue {
  if (operation['path'] === '') return value;
  return editAt(document, pointer(operation, 'path'), (container, key) => {
    if (!isJsonArray(container)) return { ...container, [key]: value };
    return container.with(existingIndex(container, key), value);
  });
}

function test(document: JsonValue, operation: JsonObject, expected: JsonValue): JsonValue {
  const actual = operation['path'] === '' ? document : read(document, pointer(operation, 'path'));
  if (!isDeepStrictEqual(actual ?? null, expected)) throw unprocessable();
  return document;
}

/** The keys of a JSON pointer. As in the server's library, anything before the first slash is ignored. */
function pointer(operation: JsonObject, field: 'path' | 'from'): readonly string[] {
  const text = operation[field];
  if (typeof text !== 'string' || !text.includes('/')) throw unprocessable();
  return text
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Container = JsonArray | JsonObject;

function editAt(
  node: JsonValue,
  path: readonly string[],
  edit: (container: Container, key: string) => Container,
): JsonValue {
  const [key = '', ...rest] = path;
  if (!isJsonArray(node) && !isJsonObject(node)) throw unprocessable();
  if (rest.length === 0) return edit(node, key);
  if (isJsonArray(node)) {
    const index = existingIndex(node, key);
    return node.with(index, editAt(node[index] ?? null, rest, edit));
  }
  return { ...node, [key]: editAt(node[key] ?? null, rest, edit) };
}

/** The value at the pointer: undefined if the last key is missing in an object; refuses any other missing step. */
function read(node: JsonValue, path: readonly string[]): JsonValue | undefined {
  const [key = '', ...rest] = path;
  if (!isJsonArray(node) && !isJsonObject(node)) throw unprocessable();
  const child = isJsonArray(node) ? node[existingIndex(node, key)] : node[key];
  return rest.length === 0 ? child : read(child ?? null, rest);
}

function insert(container: Container, key: string, value: JsonValue): Container {
  if (!isJsonArray(container)) return { ...container, [key]: value };
  if (key === '-') return [...container, value];
  return container.toSpliced(indexWithin(key, container.length + 1), 0, value);
}

function remove(container: Container, key: string): Container {
  if (isJsonArray(container)) return container.toSpliced(existingIndex(container, key), 1);
  if (!Object.hasOwn(container, key)) throw unprocessable();
  const { [key]: _removed, ...rest } = container;
  return rest;
}

function existingIndex(array: JsonArray, key: string): number {
  return indexWithin(key, array.length);
}

function indexWithin(key: string, length: number): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const fromStart = index < 0 ? index + length : index;
  if (Number.isNaN(fromStart) || fromStart < 0 || fromStart >= length) throw unprocessable();
  return fromStart;
}
