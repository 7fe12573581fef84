/** A message between two processes: a header, which is sent as JSON, and a body of bytes. */
export interface Frame {
  readonly header: unknown;
  readonly body: Uint8Array;
}

const LENGTHS = 8;

/** Encodes a frame as parts to be written one after the other: two lengths of four bytes each, the header, the body. */
export function encodeFrame({ header, body }: Frame): readonly Uint8Array[] {
  const headerBytes = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32BE(headerBytes.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return [lengths, headerBytes, body];
}

/**
 * Assembles frames from chunks of bytes; `push` throws for a frame above `maxBytes` or with a header that is not JSON.
 */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** How many bytes are needed to continue: the length fields, then the whole frame. */
  #wanted = LENGTHS;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): readonly Frame[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const frames: Frame[] = [];
    while (this.#length >= this.#wanted) {
      const bytes = Buffer.concat(this.#chunks);
      const headerLength = bytes.readUInt32BE(0);
      const total = LENGTHS + headerLength + bytes.readUInt32BE(4);
      if (total > this.#maxBytes) throw new Error(`a frame of ${total} bytes, expected at most ${this.#maxBytes}`);
      this.#chunks = [bytes];
      this.#wanted = total;
      if (bytes.length < total) break;
      const header: unknown = JSON.parse(bytes.toString('utf8', LENGTHS, LENGTHS + headerLength));
      frames.push({ header, body: bytes.subarray(LENGTHS + headerLength, total) });
      this.#chunks = [bytes.subarray(total)];
      this.#length = bytes.length - total;
      this.#wanted = LENGTHS;
    }
    return frames;
  }
}
