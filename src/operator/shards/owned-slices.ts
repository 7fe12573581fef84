import type { OwnSlice } from '../../hook/shard.ts';
import type { SliceHash } from '../../lib/slice-hash.ts';
import type { SliceHandler } from '../../kube/coordination/slices/held-slices.ts';
import type { OwnSlices, SlicesListener } from '../../sources/kubernetes/own-slices.ts';

/** What works on the objects of slices. */
export interface SliceWork {
  /**
   * A slice was given, as its `given` says: resolves when no run is about it any more, and ends those when `signal`
   * aborts.
   */
  readonly quiet: (slice: OwnSlice, signal: AbortSignal) => Promise<void>;
  /** Whether no run is about it at this moment: one may have begun since `quiet` has seen the last one end. */
  readonly isQuiet: (slice: OwnSlice) => boolean;
}

export interface OwnedSlicesOptions extends SliceWork {
  readonly hash: SliceHash;
  readonly onTaken: (slice: OwnSlice) => void;
  readonly onGiven: (slice: OwnSlice) => void;
}

interface Held {
  readonly slice: OwnSlice;
  readonly end: AbortController;
}

/**
 * The slices that this replica works on. One that is to be given runs nothing new from that moment on; its objects are
 * shown until the runs have ended that show them, and then leave all snapshots.
 */
export class OwnedSlices implements OwnSlices, SliceHandler {
  readonly #options: OwnedSlicesOptions;
  readonly #held = new Map<number, Held>();
  readonly #listeners = new Set<SlicesListener>();

  constructor(options: OwnedSlicesOptions) {
    this.#options = options;
  }

  get hash(): SliceHash {
    return this.#options.hash;
  }

  get owned(): readonly OwnSlice[] {
    return Array.from(this.#held.values(), ({ slice }) => slice).toSorted((a, b) => a.index - b.index);
  }

  follow(listener: SlicesListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  take(index: number): void {
    if (this.#held.has(index)) return;
    const end = new AbortController();
    const slice: OwnSlice = { index, given: end.signal };
    this.#held.set(index, { slice, end });
    for (const listener of this.#listeners) listener.taken(slice);
    this.#options.onTaken(slice);
  }

  async give(index: number, signal: AbortSignal): Promise<void> {
    const held = this.#held.get(index);
    if (held === undefined) return;
    held.end.abort();
    const { quiet, isQuiet } = this.#options;
    do await quiet(held.slice, signal);
    while (!isQuiet(held.slice));
    if (!this.#held.delete(index)) return;
    for (const listener of this.#listeners) listener.given(held.slice);
    this.#options.onGiven(held.slice);
  }
}
