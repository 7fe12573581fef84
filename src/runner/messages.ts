/** A message between our processes; with `bytes`, that many raw bytes follow it. */
export interface Message {
  readonly type: string;
  readonly bytes?: number;
}

const NEWLINE = 10;
const EMPTY = Buffer.alloc(0);

/** The wire form of a message: one line of JSON. A payload announced in `bytes` is written after it. */
export function encodeMessage<M extends Message>(message: M): string {
  return `${JSON.stringify(message)}\n`;
}

/** Cuts a byte stream back into messages, in order; what a read split is put together again. */
export class MessageReader<M extends Message> {
  readonly #onMessage: (message: M, payload: Buffer) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  /** The message whose payload has not wholly come yet. */
  #header: M | undefined;

  constructor(onMessage: (message: M, payload: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const isWorthReading =
      this.#header === undefined ? chunk.includes(NEWLINE) : this.#length >= (this.#header.bytes ?? 0);
    if (!isWorthReading) return;
    const rest = this.#read(this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks));
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
  }

  #read(data: Buffer): Buffer {
    let rest = data;
    for (;;) {
      if (this.#header === undefined) {
        const end = rest.indexOf(NEWLINE);
        if (end === -1) return rest;
        this.#header = parseMessage<M>(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
      }
      const { bytes = 0 } = this.#header;
      if (rest.length < bytes) return rest;
      const header = this.#header;
      const payload = bytes === 0 ? EMPTY : rest.subarray(0, bytes);
      this.#header = undefined;
      rest = rest.subarray(bytes);
      this.#onMessage(header, payload);
    }
  }
}

// Both ends are ours and of one version: this cast is the parsing edge.
function parseMessage<M extends Message>(line: Buffer): M {
  return JSON.parse(line.toString()) as M;
}
