const NEWLINE = 10;
/** Far above what the API server stores in one object (1.5 MiB); a stream without newlines is no watch. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A line that is longer than the limit. */
export class LineTooLongError extends Error {}

/**
 * Cuts a stream of bytes into lines: each a private copy without its newline, so that keeping one does not keep what
 * came with it. Empty lines are left out. What is left at the end without a newline comes last.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #partBytes = 0;

  constructor(maxBytes: number = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in `chunk`. */
  *push(chunk: Uint8Array): Generator<Uint8Array, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#join(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start === chunk.length) return;
    this.#keep(chunk.subarray(start));
  }

  /** What came after the last newline. */
  rest(): Uint8Array {
    return this.#join(new Uint8Array(0));
  }

  #keep(part: Uint8Array): void {
    this.#partBytes += part.length;
    if (this.#partBytes > this.#maxBytes) throw new LineTooLongError(`a line is longer than ${this.#maxBytes} bytes`);
    this.#parts.push(part);
  }

  #join(last: Uint8Array): Uint8Array {
    this.#keep(last);
    const line = new Uint8Array(this.#partBytes);
    let offset = 0;
    for (const part of this.#parts) {
      line.set(part, offset);
      offset += part.length;
    }
    this.#parts = [];
    this.#partBytes = 0;
    return line;
  }
}
