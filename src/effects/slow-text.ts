import { readDocuments, readJsonStream, type TextDocuments, type TextRules } from './documents.ts';

/**
 * Limits the slow parsing on the event loop. JSON is parsed at 50 MB/s and more, YAML and jq at about 1 MB/s. The
 * caller of `parseOperations` gives a budget of characters of YAML and jq; JSON costs nothing. Exceeding it throws a
 * `SlowTextError`, and the caller parses the whole text again in a thread, with a budget that is never exceeded.
 */
export class SlowTextBudget {
  #leftChars: number;

  constructor(chars: number) {
    this.#leftChars = chars;
  }

  /** Takes `chars` from the budget; throws `SlowTextError` when that exceeds it. */
  spend(chars: number): void {
    this.#leftChars -= chars;
    if (this.#leftChars < 0) throw new SlowTextError();
  }
}

/** The text must be parsed in a thread, where it does not block the event loop. */
export class SlowTextError extends Error {
  override readonly name = 'SlowTextError';
}

/** Reads a stream of JSON documents, or YAML documents within the budget. */
export function readWithin(budget: SlowTextBudget, text: string, rules: TextRules = {}): TextDocuments {
  if (/^\s*[{[]/.test(text)) {
    const json = readJsonStream(text, rules);
    if (json.problems.length === 0) return json;
  }
  budget.spend(text.length);
  return readDocuments(text, rules);
}
