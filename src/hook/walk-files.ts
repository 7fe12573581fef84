import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { shownName } from '../lib/shown.ts';

/** What lies below a folder; links are found as files and are not followed. */
export type WalkFound =
  | { readonly type: 'file' | 'other'; readonly path: string }
  | ({ readonly type: 'problem' } & WalkProblem);

/** A part of the tree that is left out. */
export interface WalkProblem {
  readonly path: string;
  readonly message: string;
}

export interface WalkOptions {
  /** Whether an entry is looked at; by its name alone. */
  readonly isWanted: (name: string, isDirectory: boolean) => boolean;
}

/** More entries than any folder of hooks has; the root of a file system has more. */
const MAX_ENTRIES = 100_000;
const NOT_UTF8 = 'the name is not UTF-8, it is ignored; rename it';

/** Walks the files below `root`; rejects when `root` itself cannot be read, or holds far too much. */
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
      // A name that is not read back as it was leads nowhere.
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
