import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { shown } from '../../lib/shown.ts';
import type { Difference, ExpectPath } from './difference.ts';

const MAX_SHOWN = 300;

/**
 * What of `expected` is not in `found`. Fields that `expected` does not name do not count, `null` expects a field that is
 * absent or null, and a list is compared element by element, with as many elements. Each of `conditions` is
 * compared with the one of its type.
 */
export function differences(expected: JsonValue, found: JsonValue | undefined, at: ExpectPath): readonly Difference[] {
  if (expected === null && (found === undefined || found === null)) return [];
  if (isJsonObject(expected) && isJsonObject(found)) {
    return Object.entries(expected).flatMap(([key, value]) => differences(value, fieldOf(found, key), [...at, key]));
  }
  if (isJsonArray(expected) && isJsonArray(found)) return listDifferences(expected, found, at);
  return expected === found ? [] : [difference(expected, found, at)];
}

/** Whether all of `expected` is in `found`. */
export function isSubset(expected: JsonValue, found: JsonValue | undefined): boolean {
  return differences(expected, found, []).length === 0;
}

function fieldOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function listDifferences(
  expected: readonly JsonValue[],
  found: readonly JsonValue[],
  at: ExpectPath,
): readonly Difference[] {
  const types = at.at(-1) === 'conditions' ? typesOf(expected) : undefined;
  if (types !== undefined) {
    return expected.flatMap((element, index) => {
      const same = found.find((one) => isJsonObject(one) && one['type'] === types[index]);
      const missing = `expected an element of type ${types[index]}, found ${typesOf(found)?.join(', ') || 'none'}`;
      return same === undefined
        ? [{ at: [...at, index], message: missing }]
        : differences(element, same, [...at, index]);
    });
  }
  if (expected.length !== found.length) {
    const message = `expected ${expected.length} element(s), found ${found.length}: ${shown(found, MAX_SHOWN)}`;
    return [{ at, message, found: [...found] }];
  }
  return expected.flatMap((element, index) => differences(element, found[index], [...at, index]));
}

/** The types of the elements, where each is a mapping with a type of its own. */
function typesOf(list: readonly JsonValue[]): readonly string[] | undefined {
  const types = list.flatMap((one) => (isJsonObject(one) && typeof one['type'] === 'string' ? [one['type']] : []));
  return types.length === list.length && new Set(types).size === types.length ? types : undefined;
}

function difference(expected: JsonValue, found: JsonValue | undefined, at: ExpectPath): Difference {
  const there = found === undefined ? 'nothing' : shown(found, MAX_SHOWN);
  const wanted = expected === null ? 'nothing' : shown(expected, MAX_SHOWN);
  return { at, message: `expected ${wanted}, found ${there}`, found: found ?? null };
}

/** What of `found` the expectation names, in its form: what would have held in its place. */
export function projected(expected: JsonValue | undefined, found: JsonValue): JsonValue {
  if (isJsonObject(expected) && isJsonObject(found)) {
    const keys = Object.keys(expected);
    return Object.fromEntries(keys.map((key) => [key, projected(expected[key], fieldOf(found, key) ?? null)]));
  }
  if (isJsonArray(expected) && isJsonArray(found) && expected.length === found.length) {
    return found.map((element, index) => projected(expected[index], element));
  }
  return found;
}
