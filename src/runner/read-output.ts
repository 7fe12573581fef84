import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** What a hook may write into one file; checked before anything is read. */
export const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
// Up to here one read is cheaper than a way through the thread pool; above, it would hold up everybody.
const SYNC_BYTES = 64 * 1024;
// A pipe would be waited for without end, and opening a device may do anything.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Reads what a hook wrote into one of its files; empty where the hook deleted it. Rejects where the hook put something
 * else in its place (a link, a pipe, a folder, a device), and where it wrote more than the limit.
 */
export async function readOutput(path: string, limitBytes = OUTPUT_LIMIT_BYTES): Promise<string> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return '';
  if (!stats.isFile()) throw new Error(`${path} is not a file any more`);
  if (stats.size > limitBytes) throw tooLarge(path, stats.size, limitBytes);
  if (stats.size === 0) return '';
  return stats.size <= SYNC_BYTES ? readAtOnce(path) : readInBackground(path, limitBytes);
}

function readAtOnce(path: string): string {
  const fd = openSync(path, FLAGS);
  try {
    // What was left running may still write: no more is read than was looked at.
    if (!fstatSync(fd).isFile()) throw new Error(`${path} is not a file any more`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

async function readInBackground(path: string, limitBytes: number): Promise<string> {
  const file = await open(path, FLAGS);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error(`${path} is not a file any more`);
    if (stats.size > limitBytes) throw tooLarge(path, stats.size, limitBytes);
    const buffer = Buffer.allocUnsafeSlow(stats.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}

function tooLarge(path: string, bytes: number, limitBytes: number): Error {
  return new Error(`${path} has ${bytes} bytes, the limit is ${limitBytes}: write less, or run more often`);
}
