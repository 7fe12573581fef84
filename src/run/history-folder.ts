/*
 * The folder of `--run-history`: files `runs-00000001.jsonl` and so on, one record a line. Only the file with the
 * highest number is written to. `HistoryWriter` calls `append` for each batch, and the operator `read` once at the start.
 *
 * What must hold: a line that was cut, by a crash or a full disk, costs no other line: what is written next begins on a
 * line of its own. Nothing but a regular file of this user is read or written, and no link is followed: a file of this
 * name that is anything else is left alone, and the next number is taken. No file is open between two calls, so the
 * folder may be removed at any time.
 */

import { constants } from 'node:fs';
import { mkdir, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { readStoredRun, type StoredRun } from '../hook/run-record-reader.ts';
import { BoundedIo } from '../lib/bounded-io.ts';
import { makePrivateFolder } from '../lib/trusted-folder.ts';
import { nextTurn } from '../lib/turn.ts';

export interface HistoryFolderOptions {
  readonly path: string;
  /** The size at which the next file is begun. */
  readonly fileBytes?: number;
  /** The number of files that are kept. */
  readonly files?: number;
}

const FILE_BYTES = 16 * 1024 * 1024;
const FILES = 8;
/** At the start no more than this is read. */
const READ_BYTES = 16 * 1024 * 1024;
const NAME = /^runs-(\d{8})\.jsonl$/;
const IO_LIMIT_MS = 10_000;
const LINES_A_TURN = 200;
const NEWLINE = 10;
/** Tried before the folder counts as unusable. */
const MAX_SKIPPED = 100;
const NO_FILE: readonly unknown[] = ['ELOOP', 'ENXIO', 'EISDIR'];

/** The files of the history; see above. */
export class HistoryFolder {
  readonly path: string;
  readonly #fileBytes: number;
  readonly #files: number;
  readonly #io: BoundedIo;
  /** The number of the file that is written to; undefined until the folder was looked at. */
  #number: number | undefined;

  constructor({ path, fileBytes = FILE_BYTES, files = FILES }: HistoryFolderOptions) {
    this.path = path;
    this.#fileBytes = fileBytes;
    this.#files = files;
    this.#io = new BoundedIo(`folder ${path}`, IO_LIMIT_MS);
  }

  /** Creates the folder for this user alone; throws where another user could replace it or write to it. */
  create(): void {
    makePrivateFolder(this.path);
  }

  /** Appends whole lines. After a failure some of them may be there, and one of them cut. */
  async append(lines: string): Promise<void> {
    try {
      await this.#io.run(async () => this.#append(lines));
    } catch (error) {
      this.#number = undefined;
      throw error;
    }
  }

  /** The last `runs` runs of each hook, the newest first, as far as the last 16 MiB have them. */
  async read(runs: number): Promise<readonly StoredRun[]> {
    const found = new Found(runs);
    let left = READ_BYTES;
    for (const number of (await this.#io.run(async () => this.#numbers())).toReversed()) {
      if (left <= 0) break;
      const limit = left;
      const tail = await this.#io.run(async () => readTail(this.#fileOf(number), limit));
      left -= tail.length;
      await found.take(tail);
    }
    return found.runs;
  }

  async #append(lines: string): Promise<void> {
    await mkdir(this.path, { mode: 0o700 }).catch(ignore('EEXIST'));
    this.#number ??= (await this.#numbers()).at(-1) ?? 1;
    for (let skipped = 0; skipped < MAX_SKIPPED; skipped += 1) {
      await using file = await openToAppend(this.#fileOf(this.#number));
      if (file !== undefined && (await this.#isRoom(file, lines))) {
        await file.writeFile((await isCut(file)) ? `\n${lines}` : lines);
        return;
      }
      this.#number += 1;
      await this.#prune(this.#number);
    }
    throw new Error(`${this.path} has ${MAX_SKIPPED} files that are no files of the history`);
  }

  async #isRoom(file: FileHandle, lines: string): Promise<boolean> {
    const { size } = await file.stat();
    return size === 0 || size + lines.length <= this.#fileBytes;
  }

  /** Removes all but the newest files, of which `next` will be one. */
  async #prune(next: number): Promise<void> {
    for (const number of await this.#numbers()) {
      if (number <= next - this.#files) await unlink(this.#fileOf(number)).catch(ignore('ENOENT', 'EISDIR', 'EPERM'));
    }
  }

  async #numbers(): Promise<readonly number[]> {
    const names = await readdir(this.path).catch(ignore('ENOENT'));
    const numbers = (names ?? []).map((name) => Number(NAME.exec(name)?.[1] ?? 0));
    return numbers.filter((number) => number > 0).toSorted((a, b) => a - b);
  }

  #fileOf(number: number): string {
    return join(this.path, `runs-${String(number).padStart(8, '0')}.jsonl`);
  }
}

/** Undefined where something is there that is no regular file of this user. */
async function openToAppend(path: string): Promise<FileHandle | undefined> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants;
  return openOwn(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW);
}

async function openOwn(path: string, flags: number): Promise<FileHandle | undefined> {
  const file = await open(path, flags, 0o600).catch(ignore(...NO_FILE));
  if (file === undefined) return undefined;
  const stats = await file.stat();
  // A second name of a file means that others may have made it one of theirs.
  if (stats.isFile() && stats.nlink <= 1 && stats.uid === (process.geteuid?.() ?? stats.uid)) return file;
  await file.close();
  return undefined;
}

/** Whether the file ends in the middle of a line. */
async function isCut(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] !== NEWLINE;
}

/** The end of a file, from the beginning of a line. */
async function readTail(path: string, limit: number): Promise<Buffer> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  await using file = await openOwn(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (file === undefined) return Buffer.alloc(0);
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.min(size, limit));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, size - bytes.length + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  const start = size > bytes.length ? bytes.indexOf(NEWLINE) + 1 : 0;
  return bytes.subarray(start, length);
}

/** The runs that were read, a limited number of each hook. */
class Found {
  readonly runs: StoredRun[] = [];
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Reads lines from the last one to the first, without keeping the event loop. */
  async take(bytes: Buffer): Promise<void> {
    let count = 0;
    for (let end = bytes.length; end > 0;) {
      const start = bytes.lastIndexOf(NEWLINE, end - 1) + 1;
      this.#add(bytes.toString('utf8', start, end));
      end = start - 1;
      count += 1;
      if (count % LINES_A_TURN === 0) await nextTurn();
    }
  }

  #add(line: string): void {
    const run = line === '' ? undefined : readStoredRun(parsed(line));
    if (run === undefined) return;
    const { hook } = run.record;
    const count = this.#counts.get(hook) ?? 0;
    if (count >= this.#limit) return;
    this.#counts.set(hook, count + 1);
    this.runs.push(run);
  }
}

/** Undefined for a line that was cut. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A handler of errors that rethrows all but those with these codes. */
function ignore(...codes: readonly unknown[]): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && 'code' in error && codes.includes(error.code)) return undefined;
    throw error;
  };
}
