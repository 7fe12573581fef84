import { readdirSync, realpathSync, statSync, watch, type Dirent, type FSWatcher } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A watched folder, and its identity, which differs when another folder takes its path. */
interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/**
 * Watches a folder and each folder below it, with one watch per folder. The watch of a folder reports changes even
 * after a file in it is replaced; a watch of a file, and therefore a recursive watch of Node, ends when the file is
 * replaced.
 *
 * `look` adjusts the watches to the folders that exist; the caller calls it again after each change. The target folders
 * of links to files are watched as well. Hidden folders and `node_modules` are skipped, as in the discovery of hooks.
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

  /** Watches new folders and ends the watches of removed ones; throws on the first call when `dir` does not exist. */
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

  /** The folder itself may be replaced, for example by `git checkout`, which only a watch of its parent reports. */
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
    // Watch before reading, so that no change in between is lost.
    if (found.has(path) || !this.#watch(path)) return;
    found.add(path);
    for (const entry of entriesOf(path)) {
      const below = join(path, entry.name);
      if (entry.isDirectory() && !isSkipped(entry.name)) this.#collect(below, found);
      else if (entry.isSymbolicLink()) this.#follow(below, found);
    }
  }

  /** Watches the folder of a link's target, because the target may be edited there. */
  #follow(link: string, found: Set<string>): void {
    const folder = folderOfTarget(link);
    if (folder !== undefined && !found.has(folder) && this.#watch(folder)) found.add(folder);
  }

  /** Watches the folder if it is not watched yet; returns false when it does not exist. */
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

/** Includes the birth time, because file systems reuse the inode number of a removed folder. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`;
}

function openWatch(path: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, changed);
    // The error means that the folder was removed; the next `look` ends its watch.
    watcher.on('error', changed);
    return watcher;
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}

function folderOfTarget(link: string): string | undefined {
  try {
    const target = realpathSync(link);
    return statSync(target).isFile() ? dirname(target) : undefined;
  } catch {
    // A dangling link.
    return undefined;
  }
}

function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** The folder was removed or cannot be read: it is skipped. */
function isUnreadable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES';
}
