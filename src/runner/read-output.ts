import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { explainSize, type OutputName } from './output-limits.ts';

// Up to this size a synchronous read is cheaper than the thread pool; above, it would block the event loop.
const SYNC_BYTES = 64 * 1024;
// Never block on a pipe, and never follow a link.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Reads one output file of a hook; returns an empty string when the hook deleted it. Rejects when the hook replaced it
 * (by a link, a pipe, a folder, a device), when it is too large, which is checked before anything is read, and when it
 * is YAML that is not UTF-8.
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
    // A process that the hook left behind may have replaced it since.
    check(path, name, fstatSync(fd));
    return textOf(readFileSync(fd), name);
  } finally {
    closeSync(fd);
  }
}

async function readInBackground(path: string, name: OutputName): Promise<string> {
  const file = await open(path, FLAGS);
  try {
    const stats = await file.stat();
    check(path, name, stats);
    // Reads no more than the size that was checked.
    const buffer = Buffer.allocUnsafeSlow(stats.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return textOf(buffer.subarray(0, length), name);
  } finally {
    await file.close();
  }
}

function check(path: string, name: OutputName, stats: Stats): void {
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  const problem = explainSize(name, stats.size);
  if (problem !== undefined) throw new Error(problem);
}

function textOf(bytes: Buffer, name: OutputName): string {
  // As in Go, what is no UTF-8 is replaced in JSON, and an error in YAML: an object would get other letters.
  if (name === 'patch' && !isUtf8(bytes) && !/^\s*[{[]/.test(bytes.toString('latin1', 0, SNIFFED_BYTES)))
    throw new Error('KUBERNETES_PATCH_PATH is YAML that is not UTF-8: write UTF-8, or binaryData and data in base64');
  return bytes.toString('utf8');
}

const SNIFFED_BYTES = 1000;
