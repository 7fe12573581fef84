import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { within } from '../../lib/deadline.ts';

const MAX_BYTES = 64 * 1024;
const LIMIT_MS = 2000;

/**
 * Reads the files with the secrets of signatures, such as those of mounted Secrets. A volume that hangs blocks one read
 * a file, whatever the number of requests.
 */
export class SecretFiles {
  readonly #reading = new Map<string, Promise<Uint8Array>>();

  /** The secret without the newline at its end; rejects when the file is none, too large, or not read within 2 s. */
  async read(path: string): Promise<Uint8Array> {
    const late = (): never => {
      throw new Error(`${path} was not read within ${LIMIT_MS / 1000} s`);
    };
    return within(this.#shared(path), { limitMs: LIMIT_MS, late });
  }

  async #shared(path: string): Promise<Uint8Array> {
    const reading = this.#reading.get(path) ?? readSecret(path).finally(() => this.#reading.delete(path));
    this.#reading.set(path, reading);
    return reading;
  }
}

async function readSecret(path: string): Promise<Uint8Array> {
  // Non-blocking: opening a pipe that has no writer would block a thread of Node forever.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await file.stat()).isFile()) throw new Error(`${path} is not a file`);
  const buffer = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  for (let read = 1; read > 0 && length <= MAX_BYTES; length += read) {
    read = (await file.read(buffer, length, buffer.length - length)).bytesRead;
  }
  if (length > MAX_BYTES) throw new Error(`${path} has more than ${MAX_BYTES} bytes`);
  return withoutNewline(buffer.subarray(0, length));
}

function withoutNewline(text: Buffer): Buffer {
  if (text.at(-1) !== 0x0a) return text;
  return text.subarray(0, text.at(-2) === 0x0d ? -2 : -1);
}
