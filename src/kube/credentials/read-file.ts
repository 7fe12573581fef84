import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { sleep } from '../../lib/sleep.ts';

const CHUNK_BYTES = 64 * 1024;
const PIPE_LIMIT_MS = 5000;
const PIPE_PAUSE_MS = 20;
const NEVER = new AbortController().signal;

/**
 * The content of a kubeconfig or of a file of credentials; rejects where it holds more than `maxBytes`, which no such file
 * does. A pipe, such as that of `<(command)`, has `pipeLimitMs` to bring all of it.
 */
export async function readSmallFile(path: string, maxBytes: number, pipeLimitMs = PIPE_LIMIT_MS): Promise<Buffer> {
  // To open a pipe without a writer would hold a thread of Node for good, and with it the end of the process.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile() && !stats.isFIFO()) throw new Error(`${path} is not a file`);
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stats.isFIFO() ? pipeChunks(file, path, pipeLimitMs) : fileChunks(file)) {
    total += chunk.length;
    if (total > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* fileChunks(file: FileHandle): AsyncGenerator<Buffer, void, void> {
  for (let chunk = await readChunk(file); chunk !== undefined && chunk.length > 0; chunk = await readChunk(file)) {
    yield chunk;
  }
}

/** A pipe ends when its writer is gone; before it is there, the pipe looks the same. */
async function* pipeChunks(file: FileHandle, path: string, limitMs: number): AsyncGenerator<Buffer, void, void> {
  const untilMs = performance.now() + limitMs;
  let hasBegun = false;
  for (;;) {
    const chunk = await readChunk(file);
    if (chunk !== undefined && chunk.length > 0) {
      hasBegun = true;
      yield chunk;
    } else if (chunk !== undefined && hasBegun) {
      return;
    } else {
      await sleep(PIPE_PAUSE_MS, NEVER);
    }
    if (performance.now() > untilMs) {
      throw new Error(`${path} is a pipe that brought no end within ${limitMs / 1000} s`);
    }
  }
}

/** Empty where nobody has the other end; undefined while its writer has written nothing. */
async function readChunk(file: FileHandle): Promise<Buffer | undefined> {
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
