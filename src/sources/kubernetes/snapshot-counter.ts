import type { WatchEvent } from '../../hook/binding.ts';
import type { SnapshotOperations } from '../../hook/debug-view.ts';

/** Counts how often objects of a snapshot come, change and go, for the debug API; those of the first list came too. */
export class SnapshotCounter {
  #added = 0;
  #deleted = 0;
  #modified = 0;
  #cleaned = 0;

  get operations(): SnapshotOperations {
    return { added: this.#added, deleted: this.#deleted, modified: this.#modified, cleaned: this.#cleaned };
  }

  /** The first list is complete. */
  noteListed(objects: number): void {
    this.#added += objects;
  }

  note(event: WatchEvent): void {
    if (event === 'Added') this.#added += 1;
    else if (event === 'Deleted') this.#deleted += 1;
    else this.#modified += 1;
  }

  /** The last object went. */
  noteCleaned(): void {
    this.#cleaned += 1;
  }
}
