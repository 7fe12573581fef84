import type { Placed } from '../../kube/watch/object-index.ts';

/** Maximum number of tracked children. The oldest is dropped first. */
export const MAX_UNSEEN = 10_000;

/** A child that is there after a run. */
export interface MadeChild extends Placed {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The children of one kind that runs have made, until their watch shows them. A list shows only what differs from what
 * was known, so a child that was made and deleted while nobody watched is in no event: after the next list its parent
 * is looked at again.
 */
export class MadeChildren {
  /** By the key of the child, the key of its parent. */
  readonly #unseen = new Map<string, string>();
  #lists = 0;

  /** How many lists there were so far. */
  get lists(): number {
    return this.#lists;
  }

  /** A run of `parent` has made a child that the watch does not show yet. */
  note(child: string, parent: string): void {
    this.#unseen.delete(child);
    this.#unseen.set(child, parent);
    const [oldest] = this.#unseen.size > MAX_UNSEEN ? this.#unseen.keys() : [];
    if (oldest !== undefined) this.#unseen.delete(oldest);
  }

  /** The watch shows the child, or that it is gone. */
  seen(child: string): void {
    this.#unseen.delete(child);
  }

  /** A list is complete; returns the parents of those children that were not shown. */
  listed(): ReadonlySet<string> {
    this.#lists += 1;
    const parents = new Set(this.#unseen.values());
    this.#unseen.clear();
    return parents;
  }
}
