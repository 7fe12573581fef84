const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const MAX_LINE_CHARS = 10_000;
// A UTF-16 unit takes at most three bytes, so a longer line is certainly too long.
const MAX_LINE_BYTES = 3 * MAX_LINE_CHARS;

/**
 * Splits output into lines: a line that spans several chunks stays one line, a long line is truncated, invalid UTF-8 is
 * replaced, empty lines are dropped.
 */
export class LineReader {
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      this.#keep(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** Emits the line that has no line break yet. */
  end(): void {
    const bytes = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    const isCut = this.#length > MAX_LINE_BYTES;
    this.#parts = [];
    this.#length = 0;
    if (bytes === undefined || bytes.length === 0) return;
    const line = cutLine(bytes, isCut);
    if (line !== '') this.#onLine(line);
  }

  #keep(part: Buffer): void {
    const free = MAX_LINE_BYTES - this.#length;
    this.#length += part.length;
    if (free > 0 && part.length > 0) this.#parts.push(part.subarray(0, free));
  }
}

function cutLine(bytes: Buffer, isCut: boolean): string {
  const hasReturn = !isCut && bytes[bytes.length - 1] === CARRIAGE_RETURN;
  const line = bytes.toString('utf8', 0, hasReturn ? bytes.length - 1 : bytes.length);
  if (!isCut && line.length <= MAX_LINE_CHARS) return line;
  // A character outside the basic plane is two units: drop it whole.
  const kept = line.slice(0, MAX_LINE_CHARS);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}:truncated`;
}
