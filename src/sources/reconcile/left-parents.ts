import type { OwnSlice } from '../../hook/shard.ts';
import type { Placed } from '../../kube/watch/object-index.ts';
import { Channel } from '../../lib/channel.ts';
import { latch, type Latch } from '../../lib/latch.ts';

/** A parent that the binding does not select any more. */
export interface LeftParent extends Placed {
  readonly uid: string;
  /** Absent where objects are not divided. */
  readonly slice?: OwnSlice;
}

export interface LeftParentsOptions {
  /** Whether the binding selects the parent of the uid again. */
  readonly isBack: (uid: string) => boolean;
  /** Takes the finalizer off it; never rejects. */
  readonly release?: ((parent: LeftParent, signal: AbortSignal) => Promise<void>) | undefined;
}

interface Leaving {
  readonly parent: LeftParent;
  readonly end: AbortController;
  readonly ended: Latch<void>;
}

/** The parents that left the selection of a binding with its finalizer: it is taken off them one after the other. */
export class LeftParents {
  readonly #options: LeftParentsOptions;
  readonly #left = new Channel<Leaving>();
  readonly #leaving = new Set<Leaving>();

  constructor(options: LeftParentsOptions) {
    this.#options = options;
  }

  push(parent: LeftParent): void {
    const leaving = { parent, end: new AbortController(), ended: latch() };
    this.#leaving.add(leaving);
    this.#left.push(leaving);
  }

  /**
   * Resolves when none is left of the slices that were given: no other replica selects them, so this one releases them
   * before it gives. When `signal` aborts, that is ended.
   */
  async quiet(signal: AbortSignal): Promise<void> {
    const meant = (): readonly Leaving[] =>
      [...this.#leaving].filter(({ parent }) => parent.slice?.given.aborted === true);
    const cut = (): void => {
      for (const { end } of meant()) end.abort();
    };
    signal.addEventListener('abort', cut, { once: true });
    // One may leave while others are waited for.
    for (let left = meant(); left.length > 0; left = meant()) {
      if (signal.aborted) cut();
      await Promise.all(left.map(async ({ ended }) => ended.promise));
    }
    signal.removeEventListener('abort', cut);
  }

  /** Releases them until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { isBack, release } = this.#options;
    signal.addEventListener('abort', () => this.#left.close(), { once: true });
    for await (const leaving of this.#left) {
      const { parent, end, ended } = leaving;
      try {
        if (!isBack(parent.uid)) await release?.(parent, AbortSignal.any([signal, end.signal]));
      } finally {
        this.#leaving.delete(leaving);
        ended.resolve();
      }
    }
  }
}
