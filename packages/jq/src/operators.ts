import { excerpt } from './json-text.ts';
import { meter } from './meter.ts';
import { negateLiteral, numberOf } from './number-literal.ts';
import { areEqual, compareValues } from './order.ts';
import { withoutItems } from './remove-items.ts';
import { raise } from './signals.ts';
import type { BinaryOperator } from './syntax.ts';
import { splitAt } from './text-search.ts';
import {
  copyObject,
  isArray,
  isObject,
  MAX_DEPTH,
  mergeObjects,
  ownKeys,
  ownValue,
  setOwn,
  typeName,
  type JsonObject,
  type JsonValue,
} from './value.ts';

/** Combines two values; raises an error if it cannot. */
export type BinaryFunction = (left: JsonValue, right: JsonValue) => JsonValue;

/** The function of each binary operator. */
export const BINARY_OPERATORS: Readonly<Record<BinaryOperator, BinaryFunction>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '==': areEqual,
  '!=': (left, right) => !areEqual(left, right),
  '<': (left, right) => compareValues(left, right) < 0,
  '<=': (left, right) => compareValues(left, right) <= 0,
  '>': (left, right) => compareValues(left, right) > 0,
  '>=': (left, right) => compareValues(left, right) >= 0,
};

/** `left + right` */
export function add(left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (typeof left === 'string' && typeof right === 'string') return addTexts(left, right);
  return left === null ? right : addContainers(left, right);
}

function addContainers(left: JsonValue, right: JsonValue): JsonValue {
  if (right === null) return left;
  if (isArray(left) && isArray(right)) {
    meter().places(left.length + right.length);
    return left.concat(right);
  }
  if (isObject(left) && isObject(right)) {
    return mergeObjects(left, right);
  }
  return areLiterals(left, right) ? withDoubles(add, left, right) : failWith(left, right, 'added');
}

/** The engine joins strings without copying them, so only the length of a long result is metered. */
function addTexts(left: string, right: string): string {
  const length = left.length + right.length;
  if (length > LONG_TEXT) meter().text(length);
  return left + right;
}

const LONG_TEXT = 65_536;

/** `-value` */
export function negate(value: JsonValue): JsonValue {
  if (typeof value === 'symbol') return negateLiteral(value);
  if (typeof value !== 'number') raise(`${typeName(value)} (${excerpt(value)}) cannot be negated`);
  return -value;
}

/**
 * Splits `text` at every `separator`; an empty separator splits it into characters, and empty text gives an empty
 * array.
 */
export function splitString(text: string, separator: string): JsonValue {
  if (text === '') return [];
  if (separator !== '') return splitAt(text, separator);
  meter().places(text.length);
  return Array.from(text);
}

function subtract(left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (isArray(left) && isArray(right)) return withoutItems(left, right);
  return areLiterals(left, right) ? withDoubles(subtract, left, right) : failWith(left, right, 'subtracted');
}

function multiply(left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return left * right;
  if (typeof left === 'string' || typeof right === 'string') return repeated(left, right);
  if (isObject(left) && isObject(right)) return mergeDeep(left, right);
  return areLiterals(left, right) ? withDoubles(multiply, left, right) : failWith(left, right, 'multiplied');
}

const MAX_STRING_LENGTH = 2 ** 28;

/** A text, on either side, so many times; null for a negative count. */
function repeated(left: JsonValue, right: JsonValue): JsonValue {
  const text = typeof left === 'string' ? left : right;
  const count = numberOf(typeof left === 'string' ? right : left);
  if (typeof text !== 'string' || count === undefined) return failWith(left, right, 'multiplied');
  if (!(count >= 0)) return null;
  const times = Math.floor(count);
  if (text.length * times > MAX_STRING_LENGTH) raise('Repeat string result too long');
  meter().text(text.length * times);
  return text.repeat(times);
}

interface Merge {
  /** A copy, into which the right side is merged. */
  readonly into: Record<string, JsonValue>;
  readonly right: JsonObject;
  readonly depth: number;
}

function mergeDeep(left: JsonObject, right: JsonObject): JsonObject {
  const merged = copied(left);
  // A list of what is left, as the objects may be deeper than the call stack.
  const rest: Merge[] = [{ into: merged, right, depth: 0 }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) mergeLevel(next, rest);
  return merged;
}

function mergeLevel({ into, right, depth }: Merge, rest: Merge[]): void {
  if (depth > MAX_DEPTH) raise('Object merge too deep');
  for (const key of ownKeys(right)) {
    meter().tick();
    const incoming = ownValue(right, key);
    const existing = ownValue(into, key);
    if (isObject(existing) && isObject(incoming)) {
      const child = copied(existing);
      setOwn(into, key, child);
      rest.push({ into: child, right: incoming, depth: depth + 1 });
    } else {
      setOwn(into, key, incoming);
    }
  }
}

function copied(object: JsonObject): Record<string, JsonValue> {
  meter().places(ownKeys(object).length);
  return copyObject(object);
}

function divide(left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') {
    if (right === 0) failWith(left, right, 'divided because the divisor is zero');
    return left / right;
  }
  if (typeof left === 'string' && typeof right === 'string') return splitString(left, right);
  return areLiterals(left, right) ? withDoubles(divide, left, right) : failWith(left, right, 'divided');
}

function remainder(left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left !== 'number' || typeof right !== 'number') {
    return areLiterals(left, right) ? withDoubles(remainder, left, right) : failWith(left, right, 'divided');
  }
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  const divisor = Math.trunc(Math.abs(right));
  if (divisor === 0) failWith(left, right, 'divided (remainder) because the divisor is zero');
  const dividend = Math.trunc(left);
  meter().notePrecision(left);
  if (Math.abs(dividend) >= MAX_INTEGER || divisor >= MAX_INTEGER) return largeRemainder(dividend, right);
  // `+ 0` turns a negative zero into zero: integers have no negative zero.
  return (dividend % divisor) + 0;
}

const MAX_INTEGER = 2 ** 63;

/** The remainder of numbers that do not fit into 64 bits: they count as the integer of 64 bits nearest to them. */
function largeRemainder(dividend: number, divisor: number): number {
  const size = clamped(divisor);
  return Number(clamped(dividend) % (size < 0n ? -size : size));
}

function clamped(value: number): bigint {
  if (value >= MAX_INTEGER) return 2n ** 63n - 1n;
  return value <= -MAX_INTEGER ? -(2n ** 63n) : BigInt(Math.trunc(value));
}

/** Whether both are numbers, at least one of them a literal: then the operator works on their doubles. */
function areLiterals(left: JsonValue, right: JsonValue): boolean {
  if (typeof left !== 'symbol' && typeof right !== 'symbol') return false;
  return numberOf(left) !== undefined && numberOf(right) !== undefined;
}

/** Combines two numbers with doubles in place of literals. */
function withDoubles(combine: BinaryFunction, left: JsonValue, right: JsonValue): JsonValue {
  return combine(numberOf(left) ?? null, numberOf(right) ?? null);
}

function failWith(left: JsonValue, right: JsonValue, what: string): never {
  return raise(`${typeName(left)} (${excerpt(left)}) and ${typeName(right)} (${excerpt(right)}) cannot be ${what}`);
}
