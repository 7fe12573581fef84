const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const MAX_LINE_CHARS = 10_000;
// A UTF-16 unit takes at most three bytes, so a longer line is certainly too long.
const MAX_LINE_BYTES = 3 * MAX_LINE_CHARS;
const BRACE = 123;
// A longer JSON object is truncated as any line.
const MAX_OBJECT_BYTES = 64 * 1024;
const MAX_MESSAGE_CHARS = 1000;
const MAX_BEGINNING_CHARS = 5000;

/**
 * Splits output into lines: a line that spans several chunks stays one line, a long line is truncated, invalid UTF-8 is
 * replaced, empty lines are dropped. Of a long line that is a JSON object `level` and `msg` are kept, which a log line
 * made of it needs, and the beginning.
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
    const isCut = this.#length > this.#limit(bytes);
    this.#parts = [];
    this.#length = 0;
    if (bytes === undefined || bytes.length === 0) return;
    const line = cutLine(bytes, isCut);
    if (line !== '') this.#onLine(line);
  }

  #limit(first: Buffer | undefined): number {
    return first?.[0] === BRACE ? MAX_OBJECT_BYTES : MAX_LINE_BYTES;
  }

  #keep(part: Buffer): void {
    const free = this.#limit(this.#parts[0] ?? part) - this.#length;
    this.#length += part.length;
    if (free > 0 && part.length > 0) this.#parts.push(part.subarray(0, free));
  }
}

function cutLine(bytes: Buffer, isCut: boolean): string {
  const hasReturn = !isCut && bytes[bytes.length - 1] === CARRIAGE_RETURN;
  const line = bytes.toString('utf8', 0, hasReturn ? bytes.length - 1 : bytes.length);
  if (!isCut && line.length <= MAX_LINE_CHARS) return line;
  const object = isCut || !line.startsWith('{') ? undefined : shortenedObject(line);
  if (object !== undefined) return object;
  // A character outside the basic plane is two units: drop it whole.
  const kept = line.slice(0, MAX_LINE_CHARS);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}:truncated`;
}

function shortenedObject(line: string): string | undefined {
  const truncated = `${line.slice(0, MAX_BEGINNING_CHARS).toWellFormed()}:truncated`;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return undefined;
    const { level, msg } = { level: undefined, msg: undefined, ...value };
    return JSON.stringify({ level: shortText(level), msg: shortText(msg), truncated });
  } catch {
    return undefined;
  }
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, MAX_MESSAGE_CHARS).toWellFormed() : undefined;
}
