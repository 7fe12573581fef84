import { KindNotFoundError } from '../../errors.ts';
import type { KindReference, Kinds, ResourceKind } from '../../kube/kind.ts';
import { Bell } from '../../lib/bell.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';

export interface FollowKindOptions {
  readonly kinds: Kinds;
  readonly reference: KindReference;
  readonly recheck: RecheckSignal;
  /** The binding works without the kind, so that discovery is repeated less often while it is missing. */
  readonly isOptional?: boolean | undefined;
  /** Discovery found the kind. Called after each discovery, also when the kind is the same as before. */
  readonly onFound: (kind: ResourceKind) => void;
  /** The server has no such kind; `onFailed` is called too. */
  readonly onMissing: (error: KindNotFoundError) => void;
  /** The kind is missing or discovery failed; it is tried again after a backoff. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Requests another discovery of a kind. A request that comes while `wait` is not pending is remembered: the next `wait`
 * resolves immediately.
 */
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

/** Between two discoveries while the kind is missing or discovery fails. */
const MISSING_BACKOFF = { initialMs: 500, maxMs: 2000, jitter: 0.25 };
/** Between two discoveries of a missing optional kind; each sends two requests. */
const OPTIONAL_BACKOFF = { ...MISSING_BACKOFF, maxMs: 45_000 };

/**
 * Resolves a kind by its name until `signal` aborts: again at each recheck signal, and with a backoff while that fails,
 * so the CRD of the kind may be created at any time.
 */
export async function followKind(options: FollowKindOptions, signal: AbortSignal): Promise<void> {
  const { kinds, reference, recheck, isOptional = false, onFound, onMissing, onFailed } = options;
  const backoff = exponentialBackoff(MISSING_BACKOFF);
  const missing = isOptional ? exponentialBackoff(OPTIONAL_BACKOFF) : backoff;
  while (!signal.aborted) {
    try {
      onFound(await kinds.resolve(reference, signal));
      backoff.reset();
      missing.reset();
      await recheck.wait(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof KindNotFoundError) onMissing(error);
      onFailed(error);
      const isMissing = error instanceof KindNotFoundError && error.isSure;
      await sleep((isMissing ? missing : backoff).next(), signal);
    }
  }
}
