import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { sleep } from '../../lib/sleep.ts';

const CHUNK_BYTES = 64 * 1024;
const PIPE_LIMIT_MS = 5000;
const PIPE_PAUSE_MS = 20;
const NEVER = new AbortController().signal;

/**
 * Reads a kubeconfig or a credentials file; rejects when it is larger than `maxBytes`. A pipe, such as `<(command)`,
 * must deliver everything within `pipeLimitMs`, by default 5 s.
 */
export async function readSmallFile(path: string, maxBytes: number, pipeLimitMs = PIPE_LIMIT_MS): Promise<Buffer> {
  // Non-blocking: opening a pipe that has no writer would block a thread of Node, and the exit of the process, forever.
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

/**
 * Reads a pipe to its end. Before the first writer opens a pipe it looks the same as after the last one closed it, so
 * an end counts only after data.
 */
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
      throw new Error(`${path} is a pipe that did not end within ${limitMs / 1000} s`);
    }
  }
}

/** Returns an empty chunk when the pipe has no writer, and undefined when its writer has not written anything yet. */
async function readChunk(file: FileHandle): Promise<Buffer | undefined> {
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
