import { closeSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';

// Up to this size a synchronous write is cheaper than the thread pool; above, it would block the event loop.
const SYNC_BYTES = 256 * 1024;
const PRIVATE_FILE = 0o600;
// One `writev` accepts at most 1024 buffers.
const PIECES_A_WRITE = 512;

/**
 * Writes binding contexts, given as chunks, to a new file that only its owner may read; rejects with the error of the
 * system.
 */
export async function writeContextFile(path: string, contexts: readonly Uint8Array[]): Promise<void> {
  const size = contexts.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  if (size > SYNC_BYTES) {
    await writeInBackground(path, contexts);
    return;
  }
  const fd = openSync(path, 'wx', PRIVATE_FILE);
  try {
    // On a full disk a write is short, and only the next one reports the error.
    let rest: Uint8Array = Buffer.concat(contexts);
    while (rest.byteLength > 0) rest = rest.subarray(writeSync(fd, rest));
  } finally {
    closeSync(fd);
  }
}

async function writeInBackground(path: string, contexts: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE);
  try {
    for (let at = 0; at < contexts.length; at += PIECES_A_WRITE) {
      // On a full disk a write is short, and only the next one reports the error.
      for (let rest = contexts.slice(at, at + PIECES_A_WRITE); rest.length > 0;) {
        rest = skipBytes(rest, (await file.writev(rest)).bytesWritten);
      }
    }
  } finally {
    await file.close();
  }
}

function skipBytes(pieces: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  let index = 0;
  for (let piece = pieces[0]; piece !== undefined && piece.byteLength <= left; piece = pieces[++index]) {
    left -= piece.byteLength;
  }
  const [first, ...rest] = pieces.slice(index);
  return first === undefined ? [] : [first.subarray(left), ...rest];
}
