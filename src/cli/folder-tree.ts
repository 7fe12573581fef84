import { readdirSync, realpathSync, statSync, watch, type Dirent, type FSWatcher } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A folder that is watched, and what tells it from another one that has taken its path. */
interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/**
 * Watches a folder, and each folder below it, by themselves. A watch of a folder hears whatever becomes of the names in
 * it, however often a file is replaced by another; a watch of a file, and so a recursive one of Node, ends with the file.
 *
 * `look` compares what is watched with what is there, and the caller looks again after each change. Links to files are
 * followed; hidden folders and `node_modules` are left out, as they are where hooks are looked for.
 */
export class FolderTree {
  readonly dir: string;
  readonly #changed: () => void;
  readonly #watched = new Map<string, WatchedFolder>();
  #parent: FSWatcher | undefined;

  /** `changed` is called for each event. */
  constructor(dir: string, changed: () => void) {
    this.dir = resolve(dir);
    this.#changed = changed;
  }

  /** Watches the folders that are new, and lets go of those that are gone; throws where the folder was never there. */
  look(): void {
    this.#parent ??= this.#watchParent();
    const found = new Set<string>();
    this.#collect(this.dir, found);
    for (const [path, { watcher }] of this.#watched) {
      if (found.has(path)) continue;
      watcher.close();
      this.#watched.delete(path);
    }
  }

  close(): void {
    this.#parent?.close();
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
  }

  /** The folder itself may be removed and made again, as by `git checkout`: only its parent hears of the new one. */
  #watchParent(): FSWatcher {
    statSync(this.dir);
    const name = basename(this.dir);
    const watcher = watch(dirname(this.dir), (_, changed) => {
      if (changed === name) this.#changed();
    });
    watcher.on('error', () => this.#changed());
    return watcher;
  }

  #collect(path: string, found: Set<string>): void {
    // Watched before it is read: what comes in between makes itself heard.
    if (found.has(path) || !this.#watch(path)) return;
    found.add(path);
    for (const entry of entriesOf(path)) {
      const below = join(path, entry.name);
      if (entry.isDirectory() && !isLeftOut(entry.name)) this.#collect(below, found);
      else if (entry.isSymbolicLink()) this.#follow(below, found);
    }
  }

  /** The file behind a link may be written where it is. */
  #follow(link: string, found: Set<string>): void {
    const folder = folderOfTarget(link);
    if (folder !== undefined && !found.has(folder) && this.#watch(folder)) found.add(folder);
  }

  /** Whether the folder is watched; not where it is gone. */
  #watch(path: string): boolean {
    const identity = identityOf(path);
    const known = this.#watched.get(path);
    if (known !== undefined && known.identity === identity) return true;
    known?.watcher.close();
    this.#watched.delete(path);
    if (identity === undefined) return false;
    const watcher = openWatch(path, this.#changed);
    if (watcher === undefined) return false;
    this.#watched.set(path, { watcher, identity });
    if (known !== undefined) this.#changed();
    return true;
  }
}

/** With the time of its birth: a file system gives the number of a folder that is gone to the next one. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`;
}

function openWatch(path: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, changed);
    // A folder that goes is a change like any other, and the next look finds it gone.
    watcher.on('error', changed);
    return watcher;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function folderOfTarget(link: string): string | undefined {
  try {
    const target = realpathSync(link);
    return statSync(target).isFile() ? dirname(target) : undefined;
  } catch {
    // It leads nowhere.
    return undefined;
  }
}

function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Gone, or not to be read: neither is a reason to end. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES';
}
