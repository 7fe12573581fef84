import { messageOf } from '../lib/message-of.ts';

/** A message between our processes; a message with `bytes` is followed by that many raw bytes. */
export interface Message {
  readonly type: string;
  readonly bytes?: number;
}

export interface MessageReaderOptions<M extends Message> {
  /** Validates one message, parsed from JSON; throws an `Error` that names the problem. */
  readonly parse: (value: unknown) => M;
  readonly onMessage: (message: M, payload: Buffer) => void;
  /** Called at most once, with the reason; nothing is read after that. */
  readonly onBad: (reason: string) => void;
  /** Limit of a line; default 64 MiB. */
  readonly maxLineBytes?: number;
  /** Limit of a payload; default 0. */
  readonly maxPayloadBytes?: number;
}

const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 1024;
const MAX_SHOWN = 80;
const NEWLINE = 10;
const EMPTY = Buffer.alloc(0);

/** Encodes a message as one line of JSON. The payload that its `bytes` announce is written after it. */
export function encodeMessage<M extends Message>(message: M): string {
  return `${JSON.stringify(message)}\n`;
}

/**
 * Splits a byte stream into messages, in order. The sender is not trusted: its input is limited before it is buffered,
 * validated before it is passed on, and never causes an exception here.
 */
export class MessageReader<M extends Message> {
  readonly #options: MessageReaderOptions<M>;
  readonly #maxLineBytes: number;
  /**
   * The beginning of a line. The buffer grows by doubling, so that a sender of single bytes does not create an object
   * for each.
   */
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

  /** Handles a complete line, with its payload if that has arrived; returns the remaining data. */
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
    // Memory pages that are never filled cost nothing, so an announced payload that is not sent takes no memory.
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
      this.#refuse(`${shown}: ${messageOf(error)}`);
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
