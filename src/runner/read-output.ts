import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { explainSize, type OutputName } from './output-limits.ts';

// Up to here one read is cheaper than a way through the thread pool; above, it would hold up everybody.
const SYNC_BYTES = 64 * 1024;
// A pipe would be waited for without end, and opening a device may do anything.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Reads what a hook wrote into one of its files; empty where the hook deleted it. Rejects where the hook put something
 * else in its place (a link, a pipe, a folder, a device), and where it wrote more than is permitted, which is looked at before anything is read.
 */
export async function readOutput(path: string, name: OutputName): Promise<string> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return '';
  check(path, name, stats);
  if (stats.size === 0) return '';
  return stats.size <= SYNC_BYTES ? readAtOnce(path, name) : readInBackground(path, name);
}

function readAtOnce(path: string, name: OutputName): string {
  const fd = openSync(path, FLAGS);
  try {
    // What was left running may have changed it since.
    check(path, name, fstatSync(fd));
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

async function readInBackground(path: string, name: OutputName): Promise<string> {
  const file = await open(path, FLAGS);
  try {
    const stats = await file.stat();
    check(path, name, stats);
    // No more is read than was looked at.
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

function check(path: string, name: OutputName, stats: Stats): void {
  if (!stats.isFile()) throw new Error(`${path} is not a file any more`);
  const problem = explainSize(name, stats.size);
  if (problem !== undefined) throw new Error(problem);
}
