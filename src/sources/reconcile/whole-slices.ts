import type { OwnSlice } from '../../hook/shard.ts';
import type { OwnSlices } from '../kubernetes/own-slices.ts';

export interface WholeSlicesOptions {
  readonly slices: Pick<OwnSlices, 'owned'>;
  /** Whether every list of a slice is complete that a run of its parents shows. */
  readonly hasListed: (slice: OwnSlice) => boolean;
}

/**
 * The own slices of a reconcile binding whose lists are all complete. The parents of any other are not looked at: with a
 * part of its children, a hook would make what is there, and delete what it only does not see. A slice stays whole until
 * it is given; what becomes incomplete later, such as a kind that goes missing, holds the tasks back for all slices.
 */
export class WholeSlices {
  readonly #options: WholeSlicesOptions;
  readonly #whole = new Set<OwnSlice>();

  constructor(options: WholeSlicesOptions) {
    this.#options = options;
  }

  /** Whether the parents of a slice may be looked at. */
  has(slice: OwnSlice): boolean {
    return this.#whole.has(slice) && !slice.given.aborted;
  }

  /** The slices that have become whole since the last call. */
  newlyWhole(): readonly OwnSlice[] {
    const { slices, hasListed } = this.#options;
    const found = slices.owned.filter((slice) => !this.#whole.has(slice) && hasListed(slice));
    for (const slice of found) this.#whole.add(slice);
    return found;
  }

  /** Forgets the slices that were given. */
  forget(): void {
    for (const slice of this.#whole) if (slice.given.aborted) this.#whole.delete(slice);
  }
}
