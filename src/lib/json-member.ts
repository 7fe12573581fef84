import type { JsonObject } from './json-object.ts';

/** Reads a whole number that is not negative; throws a `SyntaxError` for anything else. */
export function countIn(value: JsonObject, key: string): number {
  const count = value[key];
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0
    ? count
    : failAt(value, key, 'a whole number');
}

/** Reads one of these words; throws a `SyntaxError` for anything else. */
export function wordIn<T extends string>(value: JsonObject, key: string, words: readonly T[]): T {
  return words.find((word) => word === value[key]) ?? failAt(value, key, `one of ${words.join(', ')}`);
}

/** Throws a `SyntaxError` that says what a member is, and what is expected. */
export function failAt(value: JsonObject, key: string, expected: string): never {
  throw new SyntaxError(`${key} is ${JSON.stringify(value[key]) ?? 'missing'}, expected ${expected}`);
}
