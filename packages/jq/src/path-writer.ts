import { deleteKeys, getKey, getPath, setKey } from './access.ts';
import { meter } from './meter.ts';
import { sortValues } from './order.ts';
import { raise } from './signals.ts';
import { isArray, isObject, setOwn, type JsonValue } from './value.ts';

/** A copy of `value` with `replacement` at the end of `keys`. */
export function setPath(value: JsonValue, keys: readonly JsonValue[], replacement: JsonValue): JsonValue {
  const writer = new PathWriter(value);
  writer.set(keys, replacement);
  return writer.value;
}

/** A copy of `value` without what stands at any of `paths`. */
export function deletePaths(value: JsonValue, paths: readonly JsonValue[]): JsonValue {
  const writer = new PathWriter(value);
  // From the last to the first, so that a deletion does not shift what is still to be deleted.
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
 * Writes at many paths of one value. What lies on a path is copied once: a container that this writer copied and that
 * nobody else has seen since is written to in place, or n assignments would take n copies of everything around them.
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

  /** What stands at the end of `keys`. It may be kept by whoever reads it. */
  read(keys: readonly JsonValue[]): JsonValue {
    const found = getPath(this.#value, keys);
    // Its containers may stand elsewhere from now on.
    if (this.#own.has(found)) this.#own.clear();
    return found;
  }

  set(keys: readonly JsonValue[], replacement: JsonValue): void {
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

  /** Deletes `keys` of what stands at the end of `path`; without any, the whole value. */
  delete(path: readonly JsonValue[], keys: readonly JsonValue[]): void {
    if (keys.length === 0) {
      this.#value = null;
      return;
    }
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

/** The last keys of the paths from `start` on that lead into the same container, and that no other one shifts. */
function neighbors(paths: readonly (readonly JsonValue[])[], start: number): readonly JsonValue[] {
  const first = paths[start] ?? [];
  const last = first.at(-1);
  if (last === undefined) return [];
  const keys: JsonValue[] = [last];
  for (let index = start + 1; index < paths.length && isPlainKey(last); index += 1) {
    meter().tick();
    const path = paths[index] ?? [];
    const key = path.at(-1);
    if (key === undefined || !isNext(key, keys.at(-1)) || !isSibling(path, first)) break;
    keys.push(key);
  }
  return keys;
}

/** Whether a key is of the type of the one before it, and another one. */
function isNext(key: JsonValue, before: JsonValue | undefined): boolean {
  return key !== before && typeof key === typeof before && isPlainKey(key);
}

function isSibling(path: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return path.length === other.length && path.slice(0, -1).every((key, level) => key === other[level]);
}

function isPlainKey(key: JsonValue): boolean {
  return typeof key === 'string' || (typeof key === 'number' && Number.isInteger(key) && key >= 0);
}

function asPath(path: JsonValue): readonly JsonValue[] {
  return isArray(path) ? path : raise('Path must be specified as an array');
}
