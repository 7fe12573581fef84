import type { Placed } from '../../kube/watch/object-index.ts';
import { Channel } from '../../lib/channel.ts';

/** A parent that the binding does not select any more. */
export interface LeftParent extends Placed {
  readonly uid: string;
}

export interface LeftParentsOptions {
  /** Whether the binding selects the parent of the uid again. */
  readonly isBack: (uid: string) => boolean;
  /** Takes the finalizer off it; never rejects. */
  readonly release?: ((parent: LeftParent, signal: AbortSignal) => Promise<void>) | undefined;
}

/** The parents that left the selection of a binding with its finalizer: it is taken off them one after the other. */
export class LeftParents {
  readonly #options: LeftParentsOptions;
  readonly #left = new Channel<LeftParent>();

  constructor(options: LeftParentsOptions) {
    this.#options = options;
  }

  push(parent: LeftParent): void {
    this.#left.push(parent);
  }

  /** Releases them until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { isBack, release } = this.#options;
    signal.addEventListener('abort', () => this.#left.close(), { once: true });
    for await (const left of this.#left) if (!isBack(left.uid)) await release?.(left, signal);
  }
}
