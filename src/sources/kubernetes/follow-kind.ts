import { KindNotFoundError } from '../../errors.ts';
import type { KindReference, Kinds, ResourceKind } from '../../kube/kind.ts';
import { Bell } from '../../lib/bell.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';

export interface FollowKindOptions {
  readonly kinds: Kinds;
  readonly reference: KindReference;
  readonly recheck: RecheckSignal;
  /** The server has the kind: as before, or now, or in another version. */
  readonly onFound: (kind: ResourceKind) => void;
  /** The server says that it has no such kind. */
  readonly onMissing: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** Asks for another discovery of the kind; a request that comes while nobody waits is remembered. */
export class RecheckSignal {
  #isRaised = false;
  readonly #bell = new Bell();

  raise(): void {
    this.#isRaised = true;
    this.#bell.ring();
  }

  async wait(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    if (!this.#isRaised && !signal.aborted) await this.#bell.rung();
    signal.removeEventListener('abort', this.#bell.ring);
    this.#isRaised = false;
  }
}

/** How often a kind that the server does not have is looked for. */
const MISSING_BACKOFF = { initialMs: 500, maxMs: 2000, jitter: 0.25 };

/** Finds a kind by its name, however late its CRD comes, and looks again at each recheck signal. */
export async function followKind(options: FollowKindOptions, signal: AbortSignal): Promise<void> {
  const { kinds, reference, recheck, onFound, onMissing, onFailed } = options;
  const backoff = exponentialBackoff(MISSING_BACKOFF);
  while (!signal.aborted) {
    try {
      onFound(await kinds.resolve(reference, signal));
      backoff.reset();
      await recheck.wait(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof KindNotFoundError) onMissing();
      onFailed(error);
      await sleep(backoff.next(), signal);
    }
  }
}
