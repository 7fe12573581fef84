import { isObject, type JsonObject } from '../../lib/json-object.ts';

/**
 * The elements of a list in `fieldsV1`, found by the items that they stand for: `v:` with the value of the item, or
 * `k:` with its keys. The server fills in keys that an item lacks, so an item is looked up by the keys that it has. The
 * lookup stays fast in a list with thousands of items.
 */
export class ListElements {
  readonly #free: Set<string>;
  /** Lists differ in their keys, but those of one list are the same. */
  readonly #keys: readonly string[];
  /** By the names of the keys that an item has, the elements by their values. */
  readonly #byKeys = new Map<string, Map<string, string[]>>();

  constructor(elements: readonly string[]) {
    this.#free = new Set(elements);
    const keyed = elements.find((element) => element.startsWith('k:'));
    this.#keys = keyed === undefined ? [] : Object.keys(keysOf(keyed)).toSorted();
  }

  /** The element of an item, each at most once. */
  take(item: unknown): string | undefined {
    const byValue = `v:${JSON.stringify(item)}`;
    const element = this.#free.has(byValue) ? byValue : this.#keyed(item);
    if (element !== undefined) this.#free.delete(element);
    return element;
  }

  #keyed(item: unknown): string | undefined {
    if (!isObject(item)) return undefined;
    const names = this.#keys.filter((key) => item[key] !== undefined);
    if (names.length === 0) return undefined;
    const found = this.#indexOf(names).get(valuesOf(item, names)) ?? [];
    while (found.length > 0) {
      const element = found.shift();
      if (element !== undefined && this.#free.has(element)) return element;
    }
    return undefined;
  }

  #indexOf(names: readonly string[]): Map<string, string[]> {
    const id = names.join('\0');
    const known = this.#byKeys.get(id);
    if (known !== undefined) return known;
    const index = new Map<string, string[]>();
    for (const element of this.#free) {
      const values = valuesOf(keysOf(element), names);
      const same = index.get(values);
      if (same === undefined) index.set(values, [element]);
      else same.push(element);
    }
    this.#byKeys.set(id, index);
    return index;
  }
}

function valuesOf(object: JsonObject, names: readonly string[]): string {
  return JSON.stringify(names.map((name) => object[name]));
}

function keysOf(element: string): JsonObject {
  if (!element.startsWith('k:')) return {};
  try {
    const keys: unknown = JSON.parse(element.slice('k:'.length));
    return isObject(keys) ? keys : {};
  } catch {
    return {};
  }
}
