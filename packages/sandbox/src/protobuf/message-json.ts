import type { JsonObject, JsonValue } from '../json.ts';
import type { Field } from '../messages/field.ts';
import { fieldsOf } from '../messages/messages.ts';
import { wireFields, type WireField } from './reader.ts';
import { scalarJson, zeroOf } from './scalar-json.ts';

/** Converts a message in protobuf to the JSON that Go would write; unknown fields are dropped. */
export function messageJson(name: string, bytes: Buffer): JsonObject {
  const wire = byNumber(bytes);
  const json: { [name: string]: JsonValue } = {};
  for (const field of fieldsOf(name) ?? []) {
    const values = wire.get(field.number) ?? [];
    const value = fieldJson(field, values);
    if (value === undefined) continue;
    if (field.name === '') Object.assign(json, value);
    else json[field.name] = value;
  }
  return json;
}

function byNumber(bytes: Buffer): ReadonlyMap<number, readonly WireField[]> {
  const fields = new Map<number, WireField[]>();
  for (const field of wireFields(bytes)) {
    const known = fields.get(field.number);
    if (known === undefined) fields.set(field.number, [field]);
    else known.push(field);
  }
  return fields;
}

function fieldJson(field: Field, values: readonly WireField[]): JsonValue | undefined {
  const last = values.at(-1);
  if (last === undefined) return field.omitted || !field.required ? undefined : absent(field);
  switch (field.shape) {
    case 'list':
      return values.map((value) => valueJson(field.type, value));
    case 'map':
      return Object.fromEntries(values.map((value) => entryJson(field.type, value)));
    case 'one': {
      const value = valueJson(field.type, last);
      return field.omitted && isZero(value) ? undefined : value;
    }
  }
}

/** The JSON that Go writes for a required field that is empty. */
function absent({ shape, type }: Field): JsonValue | undefined {
  return shape === 'one' ? zeroOf(type) : null;
}

function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false || value === null;
}

function entryJson(type: string, entry: WireField): readonly [string, JsonValue] {
  const parts = entry.type === 'bytes' ? [...wireFields(entry.bytes)] : [];
  const key = parts.find(({ number }) => number === 1);
  const value = parts.find(({ number }) => number === 2);
  const name = key?.type === 'bytes' ? key.bytes.toString() : '';
  return [name, value === undefined ? (zeroOf(type) ?? {}) : valueJson(type, value)];
}

function valueJson(type: string, wire: WireField): JsonValue {
  if (fieldsOf(type) !== undefined) return wire.type === 'bytes' ? messageJson(type, wire.bytes) : {};
  return scalarJson(type, wire, schemaJson);
}

/** A JSON schema that is nested in another one. */
function schemaJson(bytes: Buffer): JsonObject {
  return messageJson('apiextensions/v1.JSONSchemaProps', bytes);
}
