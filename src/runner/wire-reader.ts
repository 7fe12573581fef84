import { isObject } from '../lib/json-object.ts';

type Fields = Readonly<Record<string, unknown>>;

const MAX_SHOWN = 60;

/** Returns the fields of a message from another process; throws when it is not an object. */
export function readFields(value: unknown): Fields {
  if (isObject(value)) return value;
  throw unexpected('the message', value, 'an object');
}

/** Each of the following reads one field, or throws an error that names the field and the received value. */
export function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw unexpected(name, value, 'a string');
}

export function readCount(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw unexpected(name, value, 'a whole number');
}

export function readOptional<T>(
  fields: Fields,
  name: string,
  read: (fields: Fields, name: string) => T,
): T | undefined {
  return fields[name] === undefined ? undefined : read(fields, name);
}

export function readAmount(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw unexpected(name, value, 'a number that is not negative');
}

export function readObject(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (isObject(value)) return value;
  throw unexpected(name, value, 'an object');
}

export function readList<T>(fields: Fields, name: string, read: (element: unknown) => T): readonly T[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw unexpected(name, value, 'a list');
  return value.map((element: unknown) => read(element));
}

export function readOneOf<T extends string>(fields: Fields, name: string, known: readonly T[]): T {
  const found = known.find((one) => one === fields[name]);
  if (found !== undefined) return found;
  throw unexpected(name, fields[name], `one of ${known.join(', ')}`);
}

function unexpected(name: string, value: unknown, expected: string): Error {
  const shown = value === undefined ? 'missing' : `received ${(JSON.stringify(value) ?? '').slice(0, MAX_SHOWN)}`;
  return new TypeError(`${name}: ${shown}, expected ${expected}`);
}
