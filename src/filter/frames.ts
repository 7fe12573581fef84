/** What is sent between two processes: a header in JSON and a body of bytes. */
export interface Frame {
  readonly header: unknown;
  readonly body: Uint8Array;
}

const LENGTHS = 8;

/** A frame as the parts to write: two lengths of four bytes each, the header, the body. */
export function encodeFrame({ header, body }: Frame): readonly Uint8Array[] {
  const headerBytes = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32BE(headerBytes.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return [lengths, headerBytes, body];
}

/** Puts frames together from chunks; throws where one is larger than `maxBytes` or is not one at all. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** How many bytes the frame that is on its way has, as far as that is known. */
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
