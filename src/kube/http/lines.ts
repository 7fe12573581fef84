const NEWLINE = 10;
/** Far above the size of one object in the API server (1.5 MiB); a stream without newlines is not a watch. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface LineSplitterOptions {
  readonly maxBytes?: number | undefined;
  readonly isDropped?: ((line: Uint8Array) => boolean) | undefined;
}

/** A line exceeds the limit. */
export class LineTooLongError extends Error {}

/**
 * Splits a stream of bytes into lines. Each line is a private copy without its newline, so that keeping it does not
 * keep the chunk alive. Empty lines are dropped, and those that `isDropped` says, which are not copied where they are
 * whole in a chunk: it must not keep what it is given. `rest` returns what follows the last newline.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #isDropped: (line: Uint8Array) => boolean;
  #parts: Uint8Array[] = [];
  #partBytes = 0;

  constructor({ maxBytes = MAX_LINE_BYTES, isDropped = () => false }: LineSplitterOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#isDropped = isDropped;
  }

  /** Yields the lines that end in `chunk`. */
  *push(chunk: Uint8Array): Generator<Uint8Array, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const last = chunk.subarray(start, end);
      start = end + 1;
      const line = this.#partBytes === 0 ? last : this.#join(last);
      if (line.length === 0 || this.#isDropped(line)) continue;
      yield line === last ? this.#join(last) : line;
    }
    if (start === chunk.length) return;
    this.#keep(chunk.subarray(start));
  }

  /** Returns what followed the last newline. */
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
