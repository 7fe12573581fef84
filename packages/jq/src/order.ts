import { meter } from './meter.ts';
import { isArray, isObject, ownKeys, ownValue, type JsonObject, type JsonValue } from './value.ts';

/**
 * jq's total order: null, false, true, numbers, strings, arrays, objects. Strings go by code point, arrays by element,
 * objects first by their sorted keys and then by value.
 */
export function compareValues(left: JsonValue, right: JsonValue): number {
  meter().tick();
  if (typeof left === 'number' && typeof right === 'number') return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  const difference = rank(left) - rank(right);
  if (difference !== 0) return difference;
  if (isArray(left) && isArray(right)) return compareArrays(left, right);
  if (isObject(left) && isObject(right)) return compareObjects(left, right);
  return 0;
}

/** Equality as `==` defines it: deep, and independent of key order. */
export function areEqual(left: JsonValue, right: JsonValue): boolean {
  // Strings of equal length may be compared to their ends.
  if (typeof left === 'string') meter().spend(left.length >>> 6);
  if (left === right) return true;
  return typeof left === 'object' && typeof right === 'object' && areEqualContainers(left, right);
}

function areEqualContainers(left: JsonValue, right: JsonValue): boolean {
  meter().tick();
  if (isArray(left) && isArray(right)) return areEqualArrays(left, right);
  return left !== null && right !== null && isObject(left) && isObject(right) && areEqualObjects(left, right);
}

function areEqualArrays(left: readonly JsonValue[], right: readonly JsonValue[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    meter().tick();
    if (!areEqual(left[index] ?? null, right[index] ?? null)) return false;
  }
  return true;
}

function areEqualObjects(left: JsonObject, right: JsonObject): boolean {
  const keys = ownKeys(left);
  meter().spend(keys.length);
  if (keys.length !== ownKeys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && areEqual(ownValue(left, key), ownValue(right, key)));
}

/** Compares by code point; JavaScript's own comparison goes by UTF-16 unit. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) {
      meter().spend(index >>> 4);
      return codeUnitWeight(a) - codeUnitWeight(b);
    }
  }
  meter().spend(length >>> 4);
  return left.length - right.length;
}

/** Own keys in code point order. */
export function sortedKeys(object: JsonObject): string[] {
  const keys = ownKeys(object);
  meter().places(keys.length);
  return keys.toSorted((left, right) => {
    meter().tick();
    return compareStrings(left, right);
  });
}

/** A stable sort by jq's order. */
export function sortValues(values: readonly JsonValue[]): JsonValue[] {
  meter().places(values.length);
  return values.toSorted(compareValues);
}

// A surrogate is half of a character above U+FFFF, so it sorts after the private-use and compatibility area.
function codeUnitWeight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

// NaN is less than any number, itself included.
function compareNumbers(left: number, right: number): number {
  if (left === right) return 0;
  return left < right || Number.isNaN(left) ? -1 : 1;
}

function rank(value: JsonValue): number {
  if (value === null) return 0;
  if (value === false) return 1;
  if (value === true) return 2;
  if (typeof value === 'number') return 3;
  if (typeof value === 'string') return 4;
  return isArray(value) ? 5 : 6;
}

function compareArrays(left: readonly JsonValue[], right: readonly JsonValue[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const result = compareValues(left[index] ?? null, right[index] ?? null);
    if (result !== 0) return result;
  }
  return left.length - right.length;
}

function compareObjects(left: JsonObject, right: JsonObject): number {
  const keys = sortedKeys(left);
  const byKeys = compareArrays(keys, sortedKeys(right));
  if (byKeys !== 0) return byKeys;
  for (const key of keys) {
    const result = compareValues(ownValue(left, key), ownValue(right, key));
    if (result !== 0) return result;
  }
  return 0;
}
