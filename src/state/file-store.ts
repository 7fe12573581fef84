import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../log.ts';
import type { Refused, Store, StoreRead, StoreWrite } from './store.ts';

const PERMANENT: readonly string[] = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'];

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
  #texts: ReadonlyMap<string, string> = new Map();

  constructor(options: FileStoreOptions) {
    this.#options = options;
    this.place = `file ${options.path}`;
  }

  async read(): Promise<StoreRead> {
    try {
      this.#texts = await this.#load();
      return { type: 'read', texts: this.#texts };
    } catch (error) {
      return refused(error, this.#options);
    }
  }

  async write(changes: ReadonlyMap<string, string>): Promise<StoreWrite> {
    const texts = new Map([...this.#texts, ...changes]);
    try {
      await replaceFile(this.#options.path, format(texts));
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
      content = await readFile(path, 'utf8');
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
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

async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.tmp`;
  await using file = await open(temporary, 'w', 0o600);
  await file.writeFile(content);
  await file.sync();
  await rename(temporary, path);
  // The rename is durable only once the folder is synced.
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

function refused(error: unknown, { path, option }: FileStoreOptions): Refused {
  if (!PERMANENT.includes(codeOf(error))) throw error;
  const advice = `a folder ${dirname(path)} that can be written to, or another place with ${option}`;
  return { type: 'refused', error, advice };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
