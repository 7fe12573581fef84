/*
 * The digest of a hooks folder, by which the operator knows the workers that would run the same hooks as it would. It is
 * over the version of hooklet and all files that a hook can use, also those that are no hooks. What must hold: the same
 * files have the same digest, whether they were copied into an image or mounted from a ConfigMap, where each is a link.
 */

import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import { UsageError } from '../errors.ts';
import { messageOf } from '../lib/message-of.ts';
import { isDataName, isModuleName } from './discover.ts';
import { walkFiles } from './walk-files.ts';

export interface HooksDigestOptions {
  readonly hooksDir: string;
  /** Of hooklet. */
  readonly version: string;
  /** Milliseconds on a monotonic clock; default `performance.now`. */
  readonly elapsed?: () => number;
}

/** The folder is walked again after so long. */
const FRESH_MS = 5000;
const MAX_FILES = 20_000;
const MAX_BYTES = 1024 ** 3;
const SHEBANG = '#!';

interface ReadFile {
  /** Changes when the file does. */
  readonly mark: string;
  readonly hash: string;
  readonly hasShebang: boolean;
}

/** Digests a hooks folder; see above. */
export class HooksDigest {
  readonly #root: string;
  readonly #version: string;
  readonly #elapsed: () => number;
  #read = new Map<string, ReadFile>();
  #last: { readonly atMs: number; readonly digest: Promise<string> } | undefined;

  constructor({ hooksDir, version, elapsed = () => performance.now() }: HooksDigestOptions) {
    this.#root = resolve(hooksDir);
    this.#version = version;
    this.#elapsed = elapsed;
  }

  /** SHA-256 in hex, 5 s old at most; rejects with `UsageError` when the folder cannot be read, or is too large. */
  async current(): Promise<string> {
    const nowMs = this.#elapsed();
    if (this.#last === undefined || nowMs - this.#last.atMs >= FRESH_MS) {
      // One walk follows the other, since both keep what they have read.
      const digest = this.#after(this.#last?.digest);
      digest.catch(() => {});
      this.#last = { atMs: nowMs, digest };
    }
    return this.#last.digest;
  }

  async #after(last: Promise<string> | undefined): Promise<string> {
    await last?.catch(() => '');
    const files = await filesBelow(this.#root);
    const lines: string[] = [];
    const read = new Map<string, ReadFile>();
    for (const file of files.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))) {
      const content = await this.#contentOf(file);
      if (content === undefined) continue;
      read.set(file.path, content);
      lines.push(JSON.stringify([file.name, isProgram(file, content), content.hash]));
    }
    this.#read = read;
    const hash = createHash('sha256').update(`${JSON.stringify(this.#version)}\n`);
    return hash.update(lines.join('\n')).digest('hex');
  }

  /** Undefined for a file that was removed meanwhile. */
  async #contentOf({ path, stats }: FoundFile): Promise<ReadFile | undefined> {
    const mark = [stats.size, stats.mtimeMs, stats.ctimeMs, stats.ino].join(' ');
    const known = this.#read.get(path);
    return known?.mark === mark ? known : readContent(path, mark);
  }
}

async function readContent(path: string, mark: string): Promise<ReadFile | undefined> {
  const hash = createHash('sha256');
  let start = '';
  try {
    for await (const chunk of createReadStream(path)) {
      if (!Buffer.isBuffer(chunk)) continue;
      if (start === '') start = chunk.toString('latin1', 0, SHEBANG.length);
      hash.update(chunk);
    }
  } catch (cause) {
    if (isGone(cause)) return undefined;
    throw unreadable(path, cause);
  }
  return { mark, hash: hash.digest('hex'), hasShebang: start === SHEBANG };
}

interface FoundFile {
  /** The path in the folder. */
  readonly name: string;
  readonly path: string;
  readonly isLink: boolean;
  readonly stats: Stats;
}

async function filesBelow(root: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  let bytes = 0;
  for await (const path of pathsBelow(root)) {
    const stats = await statOf(path, stat);
    if (stats?.isFile() !== true) continue;
    const isLink = (await statOf(path, lstat))?.isSymbolicLink() === true;
    found.push({ name: relative(root, path), path, isLink, stats });
    bytes += stats.size;
    if (found.length > MAX_FILES) throw tooLarge(root, `${MAX_FILES} files`);
    if (bytes > MAX_BYTES) throw tooLarge(root, `${MAX_BYTES} bytes`);
  }
  return found;
}

/** Of files and links; a ConfigMap with paths is mounted with a link to each of its folders, whose files are hidden else. */
async function* pathsBelow(root: string): AsyncGenerator<string, void, void> {
  for await (const path of walked(root)) {
    if (await isLinkToHidden(path, root)) yield* walked(path);
    else yield path;
  }
}

async function* walked(folder: string): AsyncGenerator<string, void, void> {
  try {
    for await (const found of walkFiles(folder, { isWanted })) {
      if (found.type === 'problem') throw new Error(`${found.path}: ${found.message}`);
      if (found.type === 'file') yield found.path;
    }
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unreadable(folder, cause);
  }
}

function isWanted(name: string, isDirectory: boolean): boolean {
  return !isDirectory || (!name.startsWith('.') && name !== 'node_modules');
}

/** Whether a path is a link to a folder in a hidden folder of the root, which is not walked by itself. */
async function isLinkToHidden(path: string, root: string): Promise<boolean> {
  if (basename(path).startsWith('.') || (await statOf(path, stat))?.isDirectory() !== true) return false;
  try {
    const target = relative(await realpath(root), await realpath(path)).split(sep);
    return target[0] !== '..' && target.some((name) => name.startsWith('.'));
  } catch {
    return false;
  }
}

/** Undefined for what was removed meanwhile, and for a link to nothing. */
async function statOf(path: string, read: (path: string) => Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await read(path);
  } catch (cause) {
    if (isGone(cause)) return undefined;
    throw unreadable(path, cause);
  }
}

/** Whether discovery may take a file for a program: a link is one, whatever the mode of its target is. */
function isProgram({ name, isLink, stats }: FoundFile, { hasShebang }: ReadFile): boolean {
  if (isDataName(name) || (isModuleName(name) && !hasShebang)) return false;
  return isLink || (stats.mode & EXECUTABLE) !== 0;
}

const EXECUTABLE = 0o111;
const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && GONE.includes(String(error.code));
}

function unreadable(path: string, cause: unknown): UsageError {
  const why = messageOf(cause);
  return new UsageError(`the hooks have no digest, since ${path} cannot be read: ${why}; make it readable`, { cause });
}

function tooLarge(root: string, limit: string): UsageError {
  return new UsageError(
    `the hooks have no digest, since ${root} holds more than ${limit}; give a folder that holds hooks alone`,
  );
}
