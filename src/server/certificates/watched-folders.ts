import { watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';

/** Tells of changes in the folders of files; not every file system does, so whoever uses it also looks from time to time. */
export class WatchedFolders {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches the folders of these files, if they are there and not watched yet; to be called before each reading. */
  watch(files: readonly string[]): void {
    for (const file of files) this.#watchFolder(dirname(file));
  }

  end(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchFolder(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, this.#onChange);
      const ended = (): void => {
        watcher.close();
        this.#watchers.delete(folder);
      };
      watcher.on('error', ended);
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder may come later, and without any more watches there is the next look.
    }
  }
}
