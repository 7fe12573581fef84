import type { JsonObject, JsonValue } from '../json.ts';
import { wireFields, type WireField } from './reader.ts';

type SchemaReader = (bytes: Buffer) => JsonObject;
type Reader = (bytes: Buffer, schemaJson: SchemaReader) => JsonValue;

/** Converts a value that is not a message of the tables: a scalar, or a message that JSON writes as one value. */
export function scalarJson(type: string, wire: WireField, schemaJson: SchemaReader): JsonValue {
  if (wire.type === 'number') {
    if (type === 'bool') return wire.value !== 0n;
    return type === 'double' ? wire.double : Number(wire.value);
  }
  const read = READERS[type];
  if (read === undefined) throw new Error(`there is no way to read a ${type}`);
  return read(wire.bytes, schemaJson);
}

/** The JSON of an empty value of the type; undefined if it is left out. */
export function zeroOf(type: string): JsonValue | undefined {
  switch (type) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    case 'time':
    case 'microtime':
      return null;
    default:
      return undefined;
  }
}

const READERS: { readonly [type: string]: Reader } = {
  string: (bytes) => bytes.toString(),
  bytes: (bytes) => bytes.toString('base64'),
  quantity: (bytes) => textOf(bytes, 1),
  time: (bytes) => timeJson(bytes, ''),
  microtime: (bytes) => timeJson(bytes, 'micro'),
  duration: (bytes) => durationText(numberOf(bytes, 1)),
  fields: (bytes) => jsonOf(bytes),
  raw: (bytes) => jsonOf(bytes),
  json: (bytes) => jsonOf(bytes),
  empty: () => ({}),
  items: (bytes) => [...wireFields(bytes)].flatMap((field) => (field.type === 'bytes' ? [field.bytes.toString()] : [])),
  intOrString: (bytes) => (numberOf(bytes, 1) === 0 ? numberOf(bytes, 2) : textOf(bytes, 3)),
  orBool: (bytes, schemaJson) => ifSchema(bytes, 2, schemaJson) ?? numberOf(bytes, 1) !== 0,
  orArray: (bytes, schemaJson) => ifSchema(bytes, 1, schemaJson) ?? pieces(bytes, 2).map((piece) => schemaJson(piece)),
  orStrings: (bytes, schemaJson) => ifSchema(bytes, 1, schemaJson) ?? pieces(bytes, 2).map(String),
};

function pieces(bytes: Buffer, number: number): readonly Buffer[] {
  return [...wireFields(bytes)].flatMap((field) =>
    field.number === number && field.type === 'bytes' ? [field.bytes] : [],
  );
}

function ifSchema(bytes: Buffer, number: number, schemaJson: SchemaReader): JsonObject | undefined {
  const schema = pieces(bytes, number)[0];
  return schema === undefined ? undefined : schemaJson(schema);
}

function textOf(bytes: Buffer, number: number): string {
  return String(pieces(bytes, number).at(-1) ?? '');
}

function numberOf(bytes: Buffer, number: number): number {
  const found = [...wireFields(bytes)].findLast((field) => field.number === number);
  return found?.type === 'number' ? Number(found.value) : 0;
}

function jsonOf(bytes: Buffer): JsonValue {
  const text = textOf(bytes, 1);
  const value: JsonValue = text === '' ? null : JSON.parse(text);
  return value;
}

/** A time; null if the message is empty. */
function timeJson(bytes: Buffer, precision: '' | 'micro'): JsonValue {
  if (bytes.length === 0) return null;
  const seconds = new Date(numberOf(bytes, 1) * 1000).toISOString().slice(0, 19);
  if (precision === '') return `${seconds}Z`;
  const micros = Math.floor(numberOf(bytes, 2) / 1000);
  return `${seconds}.${String(micros).padStart(6, '0')}Z`;
}

/** Formats a duration in nanoseconds as Go does: `1h0m0s`, `1.5s`. */
function durationText(nanoseconds: number): string {
  const seconds = nanoseconds / 1e9;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
