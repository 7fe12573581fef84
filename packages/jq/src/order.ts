import { compareStrings } from './compare-text.ts';
import { meter } from './meter.ts';
import { compareLiterals, numberOf } from './number-literal.ts';
import { raise } from './signals.ts';
import { isArray, isObject, MAX_DEPTH, ownKeys, ownValue, type JsonObject, type JsonValue } from './value.ts';

/**
 * jq's total order: null, false, true, numbers, strings, arrays, objects. Strings go by code point, arrays by element,
 * objects first by their sorted keys and then by value.
 */
export function compareValues(left: JsonValue, right: JsonValue): number {
  return compareAt(left, right, 0);
}

function compareAt(left: JsonValue, right: JsonValue, depth: number): number {
  meter().tick();
  if (typeof left === 'number' && typeof right === 'number') return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  const difference = rank(left) - rank(right);
  if (difference !== 0) return difference;
  if (typeof left === 'object' && left !== null) return compareContainers(left, right, depth);
  return typeof left === 'symbol' || typeof right === 'symbol' ? compareAsNumbers(left, right) : 0;
}

function compareContainers(left: JsonValue, right: JsonValue, depth: number): number {
  if (depth > MAX_RECURSION) return compareDeep(left, right);
  if (isArray(left) && isArray(right)) return compareArrays(left, right, depth + 1);
  return isObject(left) && isObject(right) ? compareObjects(left, right, depth + 1) : 0;
}

// Deeper containers are compared without recursion, which might exhaust the stack.
const MAX_RECURSION = 400;

/** Equality as `==` defines it: deep, and independent of key order. */
export function areEqual(left: JsonValue, right: JsonValue): boolean {
  // Strings of equal length may be compared to their ends.
  if (typeof left === 'string') meter().spend(left.length >>> 6);
  if (left === right) return true;
  if (typeof left === 'object' && typeof right === 'object') return areEqualContainers(left, right);
  return (typeof left === 'symbol' || typeof right === 'symbol') && areEqualNumbers(left, right);
}

function areEqualNumbers(left: JsonValue, right: JsonValue): boolean {
  return rank(left) === rank(right) && compareAsNumbers(left, right) === 0;
}

/** Compares numbers of which at least one is a literal: two literals by all digits, otherwise as doubles. */
function compareAsNumbers(left: JsonValue, right: JsonValue): number {
  if (typeof left === 'symbol' && typeof right === 'symbol') return compareLiterals(left, right);
  const a = numberOf(left) ?? 0;
  const b = numberOf(right) ?? 0;
  meter().notePrecision(typeof left === 'symbol' ? b : a);
  return compareNumbers(a, b);
}

interface Pair {
  readonly left: JsonValue;
  readonly right: JsonValue;
  readonly depth: number;
}

function areEqualContainers(left: JsonValue, right: JsonValue): boolean {
  // A list of the pairs of containers that are left, as they may be deeper than the call stack.
  const rest: Pair[] = [{ left, right, depth: 0 }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    meter().tick();
    if (next.depth > MAX_DEPTH) raise('Equality check too deep');
    if (!haveEqualParts(next, rest)) return false;
  }
  return true;
}

/** Compares the scalars in two containers and puts the containers in them on the list. */
function haveEqualParts({ left, right, depth }: Pair, rest: Pair[]): boolean {
  if (isArray(left) && isArray(right)) {
    if (left.length !== right.length) return false;
    meter().spend(left.length);
    return left.every((item, index) =>
      isEqualPart({ left: item, right: right[index] ?? null, depth: depth + 1 }, rest),
    );
  }
  if (left === null || right === null || !isObject(left) || !isObject(right)) return false;
  const keys = ownKeys(left);
  meter().spend(keys.length);
  if (keys.length !== ownKeys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      isEqualPart({ left: ownValue(left, key), right: ownValue(right, key), depth: depth + 1 }, rest),
  );
}

function isEqualPart(pair: Pair, rest: Pair[]): boolean {
  const { left, right } = pair;
  if (typeof left !== 'object' || typeof right !== 'object') return areEqual(left, right);
  if (left !== right) rest.push(pair);
  return true;
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

// NaN is less than any number, itself included.
function compareNumbers(left: number, right: number): number {
  if (left === right) return 0;
  return left < right || Number.isNaN(left) ? -1 : 1;
}

function rank(value: JsonValue): number {
  if (value === null) return 0;
  if (value === false) return 1;
  if (value === true) return 2;
  if (typeof value === 'number' || typeof value === 'symbol') return 3;
  if (typeof value === 'string') return 4;
  return isArray(value) ? 5 : 6;
}

function compareArrays(left: readonly JsonValue[], right: readonly JsonValue[], depth: number): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const result = compareAt(left[index] ?? null, right[index] ?? null, depth);
    if (result !== 0) return result;
  }
  return left.length - right.length;
}

function compareObjects(left: JsonObject, right: JsonObject, depth: number): number {
  const keys = sortedKeys(left);
  const byKeys = compareArrays(keys, sortedKeys(right), depth);
  if (byKeys !== 0) return byKeys;
  for (const key of keys) {
    const result = compareAt(ownValue(left, key), ownValue(right, key), depth);
    if (result !== 0) return result;
  }
  return 0;
}

/** Compares two containers of the same type level by level; a number on the list decides if all before it is equal. */
function compareDeep(left: JsonValue, right: JsonValue): number {
  const rest: (Pair | number)[] = [{ left, right, depth: MAX_RECURSION + 1 }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const result = typeof next === 'number' ? next : comparePair(next, rest);
    if (result !== 0) return result;
  }
  return 0;
}

function comparePair({ left, right, depth }: Pair, rest: (Pair | number)[]): number {
  if (depth > MAX_DEPTH) raise('Comparison too deep');
  if (isArray(left) && isArray(right)) {
    rest.push(left.length - right.length);
    for (let index = Math.min(left.length, right.length) - 1; index >= 0; index -= 1) {
      rest.push({ left: left[index] ?? null, right: right[index] ?? null, depth: depth + 1 });
    }
    meter().spend(left.length);
    return 0;
  }
  if (!isObject(left) || !isObject(right)) return compareValues(left, right);
  const keys = sortedKeys(left);
  const byKeys = compareArrays(keys, sortedKeys(right), 0);
  for (const key of keys.toReversed()) {
    rest.push({ left: ownValue(left, key), right: ownValue(right, key), depth: depth + 1 });
  }
  return byKeys;
}
