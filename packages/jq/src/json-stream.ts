/**
 * The text of one JSON document of a stream, with its position. `lastLine` is the number of newlines up to the end of
 * the document, including one that directly follows it in the same piece.
 */
export interface JsonDocument {
  readonly text: string;
  /** Line of its first character, from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

const NEWLINE = 10;
const QUOTE = 34;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);
// White space, the byte order mark, and the record separator of JSON text sequences.
const BETWEEN: ReadonlySet<number> = new Set([9, NEWLINE, 13, 32, 0xfeff, 30]);

/**
 * Splits concatenated JSON documents that arrive in pieces of text. It looks only at brackets, quotes and white space;
 * the parser decides whether a document is valid.
 */
export class JsonSplitter {
  /** The part of the current document that came in earlier pieces. */
  #kept = '';
  #state: 'between' | 'scalar' | 'string' | 'container' = 'between';
  #isInString = false;
  #isEscaped = false;
  #depth = 0;
  #line = 1;
  #firstLine = 1;

  /** Returns the documents that end in this piece. */
  push(piece: string): readonly JsonDocument[] {
    const documents: JsonDocument[] = [];
    let start = 0;
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index);
      if (code === NEWLINE) this.#line += 1;
      if (this.#state === 'scalar' && this.#endsScalar(code)) {
        documents.push(this.#finish(piece.slice(start, index), code));
      }
      if (this.#state === 'between') {
        if (BETWEEN.has(code)) continue;
        start = index;
        this.#begin(code);
      } else if (this.#isEnd(code)) {
        documents.push(this.#finish(piece.slice(start, index + 1), piece.charCodeAt(index + 1)));
      }
    }
    if (this.#state !== 'between') this.#kept += piece.slice(start);
    return documents;
  }

  /** Returns what is left at the end of the text: a last number or word, or an incomplete document. */
  end(): readonly JsonDocument[] {
    return this.#state === 'between' ? [] : [this.#finish('', 0)];
  }

  #begin(code: number): void {
    this.#firstLine = this.#line;
    this.#depth = 1;
    this.#isEscaped = false;
    this.#isInString = code === QUOTE;
    this.#state = OPENING.has(code) ? 'container' : code === QUOTE ? 'string' : 'scalar';
  }

  #endsScalar(code: number): boolean {
    return BETWEEN.has(code) || OPENING.has(code) || code === QUOTE;
  }

  /** Processes a character inside a document; true if it is the last one. */
  #isEnd(code: number): boolean {
    if (this.#state === 'scalar') return false;
    if (this.#isInString) return this.#isEndInString(code);
    if (code === QUOTE) this.#isInString = true;
    else if (OPENING.has(code)) this.#depth += 1;
    else if (CLOSING.has(code)) this.#depth -= 1;
    return this.#depth === 0;
  }

  #isEndInString(code: number): boolean {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (code === BACKSLASH) {
      this.#isEscaped = true;
    } else if (code === QUOTE) {
      this.#isInString = false;
      return this.#state === 'string';
    }
    return false;
  }

  #finish(text: string, next: number): JsonDocument {
    const isScalarBeforeNewline = this.#state === 'scalar' && next === NEWLINE;
    const document = {
      text: this.#kept + text,
      firstLine: this.#firstLine,
      lastLine: this.#line - (next === NEWLINE && !isScalarBeforeNewline ? 0 : 1),
    };
    this.#kept = '';
    this.#state = 'between';
    return document;
  }
}
