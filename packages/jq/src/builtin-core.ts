import { meter } from './meter.ts';
import { deletePaths, setPath } from './path-writer.ts';
import { describe, type NativeTable, type SpreadTable } from './native.ts';
import { raise } from './signals.ts';
import { isArray, isObject, isTruthy, ownKeys, ownValue, typeName, type JsonValue } from './value.ts';

/** Builtins on types, on errors, and on paths as values. */
export const CORE_BUILTINS: NativeTable = {
  'true/0': () => true,
  'false/0': () => false,
  'null/0': () => null,
  'type/0': (input) => typeName(input),
  'not/0': (input) => !isTruthy(input),
  'error/0': (input) => raise(input),
  'error/1': (_input, message) => raise(message),
  'toboolean/0': toBoolean,
  'setpath/2': (input, path, replacement) => setPath(input, pathArray(path), replacement),
  'delpaths/1': (input, paths) => {
    if (!isArray(paths)) return raise('Paths must be specified as an array');
    return deletePaths(input, paths);
  },
};

/** Core builtins with any number of outputs. */
export const CORE_SPREADS: SpreadTable = {
  'tostream/0': (input) => streamEvents(input),
};

function toBoolean(input: JsonValue): JsonValue {
  if (typeof input === 'boolean') return input;
  if (input === 'true' || input === 'false') return input === 'true';
  return raise(`${describe(input)} cannot be parsed as a boolean`);
}

/** Returns a path that is given as a value; raises an error if it is not an array. */
export function pathArray(path: JsonValue): readonly JsonValue[] {
  return isArray(path) ? path : raise('Path must be specified as an array');
}

/** Returns the events of a value: `[path, leaf]` for each leaf, and `[path]` where a container ends. */
export function streamEvents(input: JsonValue): readonly JsonValue[] {
  const events: JsonValue[] = [];
  const visit = (value: JsonValue, path: readonly JsonValue[]): void => {
    meter().places(path.length + 1);
    const keys: readonly (string | number)[] = isArray(value)
      ? [...value.keys()]
      : isObject(value)
        ? ownKeys(value)
        : [];
    const last = keys.at(-1);
    if (last === undefined) {
      events.push([path, value]);
    } else {
      for (const key of keys) visit(childOf(value, key), [...path, key]);
      events.push([[...path, last]]);
    }
  };
  visit(input, []);
  return events;
}

function childOf(value: JsonValue, key: string | number): JsonValue {
  if (isObject(value)) return ownValue(value, String(key));
  return isArray(value) ? (value[Number(key)] ?? null) : null;
}
