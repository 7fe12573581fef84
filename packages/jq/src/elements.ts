import { describe } from './native.ts';
import { raise } from './signals.ts';
import { isArray, isObject, ownKeys, type JsonValue } from './value.ts';

/** The elements of an array or the values of an object, as `.[]` emits them. */
export function elements(value: JsonValue): readonly JsonValue[] {
  if (isArray(value)) return value;
  if (isObject(value)) return ownKeys(value).map((key) => value[key] ?? null);
  return raise(`Cannot iterate over ${describe(value)}`);
}
