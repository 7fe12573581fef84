import { checkDepth, deleteKeys, getKey, getPath, setKey } from './access.ts';
import { meter } from './meter.ts';
import { numberOf } from './number-literal.ts';
import { sortValues } from './order.ts';
import { raise } from './signals.ts';
import { isArray, isObject, setOwn, type JsonValue } from './value.ts';

/** Returns a copy of `value` with `replacement` at the path `keys`. */
export function setPath(value: JsonValue, keys: readonly JsonValue[], replacement: JsonValue): JsonValue {
  const writer = new PathWriter(value);
  writer.set(keys, replacement);
  return writer.value;
}

/** Returns a copy of `value` without the values at `paths`; raises an error if a path is not an array. */
export function deletePaths(value: JsonValue, paths: readonly JsonValue[]): JsonValue {
  const writer = new PathWriter(value);
  // In descending order, so that no deletion shifts an element that is still to be deleted.
  const sorted = sortValues(paths).toReversed().map(asPath);
  for (let index = 0; index < sorted.length;) {
    const path = sorted[index] ?? [];
    const keys = neighbors(sorted, index);
    writer.delete(path.slice(0, -1), keys);
    index += Math.max(1, keys.length);
  }
  return writer.value;
}

/**
 * Writes at many paths of one value, without changing the value that was passed in. Each container on a written path is
 * copied once; after that, the copy is written in place for as long as nothing else can hold a reference to it.
 * Otherwise n assignments would make n copies of every enclosing container.
 */
export class PathWriter {
  #value: JsonValue;
  readonly #own = new Set<JsonValue>();

  constructor(value: JsonValue) {
    this.#value = value;
  }

  get value(): JsonValue {
    return this.#value;
  }

  /** Returns the value at the path `keys`. The caller may keep it. */
  read(keys: readonly JsonValue[]): JsonValue {
    const found = getPath(this.#value, keys);
    // The caller may store this container, and those inside it, elsewhere, so the copies made so far must not be
    // written in place.
    if (this.#own.has(found)) this.#own.clear();
    return found;
  }

  set(keys: readonly JsonValue[], replacement: JsonValue): void {
    checkDepth(keys);
    const containers: JsonValue[] = [];
    let current = this.#value;
    for (const key of keys) {
      meter().tick();
      containers.push(current);
      current = getKey(current, key);
    }
    let written = replacement;
    for (let level = keys.length - 1; level >= 0; level -= 1) {
      written = this.#write(containers[level] ?? null, keys[level] ?? null, written);
    }
    this.#value = written;
  }

  /** Deletes `keys` from the container at `path`; without keys, the whole value becomes null. */
  delete(path: readonly JsonValue[], keys: readonly JsonValue[]): void {
    if (keys.length === 0) {
      this.#value = null;
      return;
    }
    checkDepth([...path, ...keys.slice(0, 1)]);
    const container = getPath(this.#value, path);
    if (container !== null) this.set(path, deleteKeys(container, keys));
  }

  #write(container: JsonValue, key: JsonValue, value: JsonValue): JsonValue {
    if (this.#own.has(container) && writeInPlace(container, key, value)) return container;
    const copy = setKey(container, key, value);
    this.#own.add(copy);
    return copy;
  }
}

function writeInPlace(container: JsonValue, key: JsonValue, value: JsonValue): boolean {
  if (typeof key === 'string' && isMutableObject(container)) {
    setOwn(container, key, value);
    return true;
  }
  if (typeof key !== 'number' || !Array.isArray(container)) return false;
  const isInside = Number.isInteger(key) && key >= 0 && key < container.length;
  if (isInside) container[key] = value;
  return isInside;
}

function isMutableObject(value: JsonValue): value is Record<string, JsonValue> {
  return isObject(value);
}

/**
 * The last keys of the consecutive paths from `start` on that lead into the same container and are deleted in one go:
 * only names, or only indices and slices, which are all relative to the array as it was.
 */
function neighbors(paths: readonly (readonly JsonValue[])[], start: number): readonly JsonValue[] {
  const first = paths[start] ?? [];
  const last = first.at(-1);
  if (last === undefined) return [];
  const keys: JsonValue[] = [last];
  for (let index = start + 1; index < paths.length && isDeletable(last); index += 1) {
    meter().tick();
    const path = paths[index] ?? [];
    const key = path.at(-1);
    if (key === undefined || !isNext(key, keys.at(-1)) || !isSibling(path, first)) break;
    keys.push(key);
  }
  return keys;
}

/** Whether `key` differs from the key before it and selects from the same kind of container. */
function isNext(key: JsonValue, before: JsonValue | undefined): boolean {
  return key !== before && (typeof key === 'string') === (typeof before === 'string') && isDeletable(key);
}

function isSibling(path: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return path.length === other.length && path.slice(0, -1).every((key, level) => key === other[level]);
}

function isDeletable(key: JsonValue): boolean {
  return typeof key === 'string' || numberOf(key) !== undefined || isObject(key);
}

function asPath(path: JsonValue): readonly JsonValue[] {
  return isArray(path) ? path : raise('Path must be specified as an array');
}
