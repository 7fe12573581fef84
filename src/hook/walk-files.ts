import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { shownName } from '../lib/shown.ts';

/** An entry below a folder; links are reported as files and not followed. */
export type WalkFound =
  | { readonly type: 'file' | 'other'; readonly path: string }
  | ({ readonly type: 'problem' } & WalkProblem);

/** A part of the tree that was skipped. */
export interface WalkProblem {
  readonly path: string;
  readonly message: string;
}

export interface WalkOptions {
  /** Decides by its name whether an entry is reported or, for a directory, entered. */
  readonly isWanted: (name: string, isDirectory: boolean) => boolean;
}

/** More entries than any hooks folder has; catches a wrong path such as `/`. */
const MAX_ENTRIES = 100_000;
const NOT_UTF8 = 'ignored: its name is not UTF-8; rename it';

/**
 * Walks the files below `root`. Throws the system's error when `root` itself cannot be read, and `UsageError` above
 * 100,000 entries.
 */
export async function* walkFiles(root: string, { isWanted }: WalkOptions): AsyncGenerator<WalkFound, void, void> {
  let entries = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const read = await readFolder(folder, root);
    if (!Array.isArray(read)) {
      yield read;
      continue;
    }
    entries += read.length;
    if (entries > MAX_ENTRIES) {
      throw new UsageError(`directory ${root} holds more than ${MAX_ENTRIES} files; give one that holds hooks alone`);
    }
    for (const entry of read) {
      const name = entry.name.toString('utf8');
      const path = join(folder, name);
      if (!isWanted(name, entry.isDirectory())) continue;
      // A name that does not survive decoding cannot be opened.
      if (!Buffer.from(name).equals(entry.name)) yield { type: 'problem', path, message: NOT_UTF8 };
      else if (entry.isDirectory()) folders.push(path);
      else yield { type: entry.isFile() || entry.isSymbolicLink() ? 'file' : 'other', path };
    }
  }
}

async function readFolder(folder: string, root: string): Promise<Dirent<Buffer>[] | WalkFound> {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (folder === root) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return {
      type: 'problem',
      path: folder,
      message: `directory cannot be read (${shownName(code)}), hooks in it are ignored`,
    };
  }
}
