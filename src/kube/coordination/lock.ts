/*
 * A lock: a Lease that one run, script or person holds at a time. Each process has one `Lock` for each Lease that it
 * wants, because what was observed of a holder counts for all who want the lock there. `take` answers at once: taken,
 * held by somebody, or not a lock at all; `HeldLock` renews it then. What must hold: whether a holder has gone is judged
 * by how long no change of the Lease was seen, on the own clock, and never by comparing the times in it. And work that
 * could not renew its lock for `deadlineMs` is ended before another takes it after `durationMs`.
 */

import { HeldLock } from './held-lock.ts';
import { isOutdated, leaseStore, type Lease, type LeasePlace, type LeaseStore } from './lease.ts';
import { LOCK_DURATION_MS, lockTimes, type LockTimes } from './lock-times.ts';
import { foreignText, holderOf, isLock, LOCK_LABEL, type LockHolder } from './lock-words.ts';
import { ObservedLease } from './observed-lease.ts';

export interface LockOptions extends LeasePlace {
  /** Default: those of `LOCK_DURATION_MS`. */
  readonly times?: LockTimes;
  /** Milliseconds since the epoch, written into the Lease for people who read it; default `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds on a monotonic clock; default `performance.now`. */
  readonly elapsed?: () => number;
  /** Called after each renewal of a lock that was taken. */
  readonly onRenewed?: () => void;
}

/** What became of an attempt to take a lock. */
export type LockAnswer =
  | { readonly type: 'taken'; readonly held: HeldLock }
  | { readonly type: 'held'; readonly by: LockHolder }
  /** The Lease is none of ours. */
  | { readonly type: 'foreign'; readonly message: string };

const REQUEST_MS = 5000;
const TRIES = 3;

/** One lock, as this process sees it; see above. */
export class Lock {
  /** `namespace/name`. */
  readonly key: string;
  readonly #options: LockOptions;
  readonly #times: LockTimes;
  readonly #store: LeaseStore;
  readonly #observed: ObservedLease;
  /** A holder of this process that has ended, though the Lease may not say so. */
  #ended = '';

  constructor(options: LockOptions) {
    const { namespace, name, times = lockTimes(LOCK_DURATION_MS), elapsed = () => performance.now() } = options;
    this.key = `${namespace}/${name}`;
    this.#options = options;
    this.#times = times;
    this.#store = leaseStore({ ...options, labels: { [LOCK_LABEL]: 'true' } });
    this.#observed = new ObservedLease({ identity: '', leaseDurationMs: times.durationMs, elapsed });
  }

  /** Who holds the lock now, as far as can be seen; undefined when it may be taken. */
  async look(signal: AbortSignal): Promise<LockHolder | undefined> {
    const lease = await this.#read(signal);
    return lease === undefined || this.#isFree(lease) ? undefined : holderOf(lease);
  }

  /** Takes the lock for `holder`, a text that no other attempt has; rejects when the API server does. */
  async take(holder: string, signal: AbortSignal): Promise<LockAnswer> {
    let lease = await this.#read(signal);
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (lease !== undefined && !isLock(lease)) return { type: 'foreign', message: foreignText(this.key, lease) };
      if (lease !== undefined && !this.#isFree(lease)) return { type: 'held', by: holderOf(lease) };
      const held = await this.#write(holder, lease, signal);
      if (held !== undefined) return { type: 'taken', held };
      lease = await this.#read(signal);
    }
    const by = lease === undefined || lease.holder === '' ? { holder: 'others, by turns' } : holderOf(lease);
    return { type: 'held', by };
  }

  /** Returns undefined when somebody else wrote first. */
  async #write(holder: string, before: Lease | undefined, signal: AbortSignal): Promise<HeldLock | undefined> {
    const { now = Date.now, elapsed = () => performance.now(), onRenewed } = this.#options;
    const sentAtMs = elapsed();
    const { durationMs } = this.#times;
    try {
      const limit = { signal, timeoutMs: REQUEST_MS };
      const lease = await this.#store.write({ holder, durationMs, nowMs: now() }, before, limit);
      this.#observed.update(lease);
      const onEnded = (): void => void (this.#ended = holder);
      const options = { key: this.key, store: this.#store, times: this.#times, now, elapsed, onEnded, onRenewed };
      return new HeldLock(options, lease, { holder, sentAtMs });
    } catch (error) {
      if (isOutdated(error, before)) return undefined;
      // It may have been written nevertheless: then nobody works under it.
      this.#ended = holder;
      throw error;
    }
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const lease = await this.#store.read({ signal, timeoutMs: REQUEST_MS });
    this.#observed.update(lease);
    return lease;
  }

  #isFree({ holder }: Lease): boolean {
    return (holder !== '' && holder === this.#ended) || this.#observed.heldForMs() <= 0;
  }
}
