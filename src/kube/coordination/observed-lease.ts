import type { Lease } from './lease.ts';

export interface ObserverOptions {
  /** The candidate that observes the lease. */
  readonly identity: string;
  /** How long a lease counts as held when it names no duration itself. */
  readonly leaseDurationMs: number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

/** A Lease without renewals counts as held for at most this long, or for our own duration if that is longer. */
const MAX_DURATION_MS = 3_600_000;

/**
 * The lease as one candidate last read or wrote it. Whether another holder's lease has expired is judged by how long this
 * candidate has seen no change on its own clock: the clocks of two machines are never compared.
 */
export class ObservedLease {
  readonly #options: ObserverOptions;
  #lease: Lease | undefined;
  #changedAtMs = 0;

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  /** Undefined when it does not exist, or was not read yet. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** Empty when nobody is known to hold the lease. */
  get holder(): string {
    return this.#lease?.holder ?? '';
  }

  /** Records the lease after each read and write. */
  update(lease: Lease | undefined): void {
    if (this.#lease?.fingerprint !== lease?.fingerprint) this.#changedAtMs = this.#options.elapsed();
    this.#lease = lease;
  }

  /** How long another candidate still holds the lease, as far as we know; 0 or less when it may be taken. */
  heldForMs(): number {
    const { identity, leaseDurationMs, elapsed } = this.#options;
    if (this.#lease === undefined || this.holder === '' || this.holder === identity) return 0;
    const durationMs = Math.min(this.#lease.durationMs || leaseDurationMs, Math.max(MAX_DURATION_MS, leaseDurationMs));
    return this.#changedAtMs + durationMs - elapsed();
  }
}
