import { open } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;

/** The content of a file of credentials; rejects where it holds more than `maxBytes`, which no such file does. */
export async function readSmallFile(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await open(path);
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES);
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}
