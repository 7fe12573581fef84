import { plainValue } from './plain-value.ts';

const EXPECTED = 'expected what JSON has: text, finite numbers, true, false, null, lists and plain objects';

/**
 * One line of a patch or metrics file. Throws an error that names the place of what JSON has no form for: left to JSON it
 * would fail without a place, or be left out, or become null, which deletes.
 */
export function plainDocument(call: string, document: Readonly<Record<string, unknown>>): string {
  const plain = plainValue(document, (problem, path) => {
    throw new TypeError(`${call}: ${path === '' ? 'what is given' : path} ${problem}; ${EXPECTED}`);
  });
  return `${JSON.stringify(plain)}\n`;
}
