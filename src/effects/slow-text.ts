import { readDocuments, readJsonStream, type TextDocuments } from './documents.ts';

/**
 * How many characters may be read of what is slow to read. JSON goes at 50 MB a second and more, YAML and jq at 1: a
 * budget lets the one through where it is, and stops the other.
 */
export class SlowTextBudget {
  #leftChars: number;

  constructor(chars: number) {
    this.#leftChars = chars;
  }

  /** Throws a `SlowTextError` when more was spent than there is. */
  spend(chars: number): void {
    this.#leftChars -= chars;
    if (this.#leftChars < 0) throw new SlowTextError();
  }
}

/** The text has to be read where it holds up nobody. */
export class SlowTextError extends Error {
  override readonly name = 'SlowTextError';
}

/** Reads a JSON stream, or YAML within the budget. */
export function readWithin(budget: SlowTextBudget, text: string): TextDocuments {
  if (/^\s*[{[]/.test(text)) {
    const json = readJsonStream(text);
    if (json.problems.length === 0) return json;
  }
  budget.spend(text.length);
  return readDocuments(text);
}
