import { constants } from 'node:fs';
import { open, readlink, realpath, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { BoundedIo } from '../lib/bounded-io.ts';
import { isObject } from '../lib/json-object.ts';
import type { Logger } from '../log.ts';
import type { Refused, Store, StoreRead, StoreWrite } from './store.ts';

const PERMANENT: readonly string[] = [
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENXIO',
  'ENAMETOOLONG',
];
/** A volume that is gone may block every call. */
const IO_LIMIT_MS = 10_000;
/** Far above the state of all schedules of an operator. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface FileStoreOptions {
  readonly path: string;
  /** What the file holds, for the log, such as `schedule state`. */
  readonly what: string;
  /** The option that selects another place, such as `--schedule-state`. */
  readonly option: string;
  readonly log: Logger;
}

/**
 * A store in a file on a volume, for one operator at a time. After a crash the file is either the old or the new one.
 */
export class FileStore implements Store {
  readonly place: string;
  readonly #options: FileStoreOptions;
  readonly #io: BoundedIo;
  #texts: ReadonlyMap<string, string> = new Map();

  constructor(options: FileStoreOptions) {
    this.#options = options;
    this.place = `file ${options.path}`;
    this.#io = new BoundedIo(this.place, IO_LIMIT_MS);
  }

  async read(): Promise<StoreRead> {
    try {
      this.#texts = await this.#io.run(async () => this.#load());
      return { type: 'read', texts: this.#texts };
    } catch (error) {
      return refused(error, this.#options);
    }
  }

  async write(changes: ReadonlyMap<string, string>): Promise<StoreWrite> {
    const texts = new Map([...this.#texts, ...changes]);
    try {
      await this.#io.run(async () => replaceFile(this.#options.path, format(texts)));
      this.#texts = texts;
      return { type: 'written' };
    } catch (error) {
      return refused(error, this.#options);
    }
  }

  async #load(): Promise<ReadonlyMap<string, string>> {
    const { path, what, log } = this.#options;
    let content: string;
    try {
      content = await readRegularFile(path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return new Map();
      throw error;
    }
    const texts = parse(content);
    if (texts !== undefined) return texts;
    const keptAs = `${path}.corrupt`;
    await rename(path, keptAs);
    const shown = content.slice(0, 200);
    log.warn({ file: path, keptAs, content: shown }, `${what} is not a JSON object, starting with an empty one`);
    return new Map();
  }
}

/** Values that are JSON are written as JSON, others as strings. */
function format(texts: ReadonlyMap<string, string>): string {
  const values = [...texts].map(([key, text]): [string, unknown] => [key, tryParse(text) ?? text]);
  return `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`;
}

function parse(content: string): ReadonlyMap<string, string> | undefined {
  const value = content.trim() === '' ? {} : tryParse(content);
  if (!isObject(value)) return undefined;
  return new Map(
    Object.entries(value).map(([key, member]): [string, string] => [
      key,
      typeof member === 'string' ? member : JSON.stringify(member),
    ]),
  );
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Non-blocking: opening a pipe would block a thread of Node, and the exit of the process, forever. */
async function readRegularFile(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) throw new NoRegularFileError(`${path} is not a regular file`);
  if (stats.size > MAX_BYTES) throw new NoRegularFileError(`${path} has more than ${MAX_BYTES} bytes`);
  return await file.readFile('utf8');
}

/** No file that could hold the state. */
class NoRegularFileError extends Error {}

/** The file that a link points to, there or not: it is replaced, and the link stays. */
async function fileBehind(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : resolve(dirname(path), target);
  }
}

async function replaceFile(given: string, content: string): Promise<void> {
  const path = await fileBehind(given);
  const temporary = `${path}.tmp`;
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK, O_NOFOLLOW } = constants;
  await using file = await open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOFOLLOW, 0o600);
  await file.writeFile(content);
  await file.sync();
  await rename(temporary, path);
  // The rename is durable only once the folder is synced.
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

function refused(error: unknown, { path, option }: FileStoreOptions): Refused {
  if (error instanceof NoRegularFileError || codeOf(error) === 'EISDIR') {
    return {
      type: 'refused',
      error,
      advice: `a regular file of at most ${MAX_BYTES} bytes, or another place with ${option}`,
    };
  }
  if (!PERMANENT.includes(codeOf(error))) throw error;
  const advice = `a folder ${dirname(path)} that can be written to, or another place with ${option}`;
  return { type: 'refused', error, advice };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
