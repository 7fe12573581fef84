/** A message between our processes; with `bytes`, that many raw bytes follow it. */
export interface Message {
  readonly type: string;
  readonly bytes?: number;
}

export interface MessageReaderOptions<M extends Message> {
  /** Checks one line, parsed from JSON; throws an `Error` that says what is wrong with it. */
  readonly parse: (value: unknown) => M;
  readonly onMessage: (message: M, payload: Buffer) => void;
  /** Called once, with the reason; nothing is read after that. */
  readonly onBad: (reason: string) => void;
  /** The longest line; default 64 MiB. */
  readonly maxLineBytes?: number;
  /** The largest payload a message may announce; default none may. */
  readonly maxPayloadBytes?: number;
}

const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 1024;
const MAX_SHOWN = 80;
const NEWLINE = 10;
const EMPTY = Buffer.alloc(0);

/** The wire form of a message: one line of JSON. A payload announced in `bytes` is written after it. */
export function encodeMessage<M extends Message>(message: M): string {
  return `${JSON.stringify(message)}\n`;
}

/**
 * Cuts a byte stream back into messages, in order. The other side may be anything: what it sends is bounded before it is
 * kept, checked before it is passed on, and never an exception here.
 */
export class MessageReader<M extends Message> {
  readonly #options: MessageReaderOptions<M>;
  readonly #maxLineBytes: number;
  /** The beginning of a line, in a buffer that grows by doubling: a byte at a time must not cost an object a byte. */
  #line: Buffer = EMPTY;
  #lineLength = 0;
  #payload: { readonly message: M; readonly bytes: Buffer; filled: number } | undefined;
  #isBad = false;

  constructor(options: MessageReaderOptions<M>) {
    this.#options = options;
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#isBad)
      rest = this.#payload === undefined ? this.#readLine(rest) : this.#fill(rest);
  }

  #readLine(data: Buffer): Buffer {
    const end = data.indexOf(NEWLINE);
    const part = end === -1 ? data : data.subarray(0, end);
    const length = this.#lineLength + part.length;
    if (length > this.#maxLineBytes) {
      return this.#refuse(`a line of ${length} bytes or more, at most ${this.#maxLineBytes} are read`);
    }
    if (end === -1) {
      this.#keep(part);
      return EMPTY;
    }
    if (this.#lineLength > 0) this.#keep(part);
    const line = this.#lineLength > 0 ? this.#line.subarray(0, this.#lineLength) : part;
    this.#line = EMPTY;
    this.#lineLength = 0;
    return this.#take(line, data.subarray(end + 1));
  }

  #keep(part: Buffer): void {
    const length = this.#lineLength + part.length;
    if (length > this.#line.length) {
      const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, 2 * this.#line.length, length));
      this.#line.copy(larger, 0, 0, this.#lineLength);
      this.#line = larger;
    }
    part.copy(this.#line, this.#lineLength);
    this.#lineLength = length;
  }

  /** Takes the message, and its payload where that has come with it; returns what follows. */
  #take(line: Buffer, rest: Buffer): Buffer {
    const message = this.#parse(line);
    if (message === undefined) return EMPTY;
    const { bytes = 0 } = message;
    const { maxPayloadBytes = 0 } = this.#options;
    if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > maxPayloadBytes) {
      return this.#refuse(`${message.type} with ${bytes} bytes, at most ${maxPayloadBytes} are taken`);
    }
    if (bytes <= rest.length) {
      this.#options.onMessage(message, rest.subarray(0, bytes));
      return rest.subarray(bytes);
    }
    // Pages that are never filled cost nothing, so that what is announced and not sent takes no memory.
    this.#payload = { message, bytes: Buffer.allocUnsafe(bytes), filled: 0 };
    return rest;
  }

  #fill(data: Buffer): Buffer {
    const pending = this.#payload;
    if (pending === undefined) return data;
    const { message, bytes } = pending;
    const part = data.subarray(0, bytes.length - pending.filled);
    part.copy(bytes, pending.filled);
    pending.filled += part.length;
    if (pending.filled === bytes.length) {
      this.#payload = undefined;
      this.#options.onMessage(message, bytes);
    }
    return data.subarray(part.length);
  }

  #parse(line: Buffer): M | undefined {
    try {
      const value: unknown = JSON.parse(line.toString());
      return this.#options.parse(value);
    } catch (error) {
      const shown = JSON.stringify(line.toString('utf8', 0, MAX_SHOWN));
      this.#refuse(`${shown}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  #refuse(reason: string): Buffer {
    this.#isBad = true;
    this.#line = EMPTY;
    this.#options.onBad(reason);
    return EMPTY;
  }
}
