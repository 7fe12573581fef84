import { plainValue } from './plain-value.ts';

const EXPECTED = 'expected what JSON has: text, finite numbers, true, false, null, lists and plain objects';

/**
 * One line of a patch or metrics file. Throws an error with the path of a value that JSON cannot represent. Without
 * this check, `JSON.stringify` would throw without a path, omit the value, or write null, which in a patch means to
 * delete.
 */
export function plainDocument(call: string, document: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(plainCopy(call, document))}\n`;
}

/** A copy of a value as JSON has it; throws an error with the path of what JSON cannot represent. */
export function plainCopy(call: string, value: unknown): unknown {
  return plainValue(value, (problem, path) => {
    throw new TypeError(`${call}: ${path === '' ? 'the value' : path} ${problem}; ${EXPECTED}`);
  });
}
