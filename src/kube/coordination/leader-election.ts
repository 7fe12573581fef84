/*
 * Leader election on a Lease: at any time at most one candidate leads. `operator/` creates one candidate per process,
 * runs it for the life of the process, lets hooks run once `leading` resolves, and stops all work when `lost`
 * aborts. A candidate stands by (tries to acquire the lease every `retryPeriodMs`), leads (renews it at the same pace),
 * or has lost it. What must hold: a leader that could not renew for `renewDeadlineMs` stops, counted from when its last
 * successful renewal was sent, and others wait the longer `leaseDurationMs`. So the old leader has stopped before a new
 * one starts, whatever requests hang or clocks differ. Where this process stands still, its `fence` ends its work
 * shortly before they do.
 */

import { LeaseLostError, summaryOf } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import type { Fence } from '../../lib/fence.ts';
import { latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { isOutdated, leaseStore, type LeasePlace, type LeaseStore } from './lease.ts';
import { ObservedLease } from './observed-lease.ts';

/** How long a leader may be silent; each time must be longer than the next one. */
export interface LeaderElectionTimes {
  /** Another candidate takes the lease when it has seen no renewal for this long. */
  readonly leaseDurationMs: number;
  /** The leader stops when it could not renew for this long. */
  readonly renewDeadlineMs: number;
  /** Time between two attempts to acquire or renew the lease. */
  readonly retryPeriodMs: number;
}

export interface LeaderElectionOptions extends LeasePlace, LeaderElectionTimes {
  /** The holder identity of this candidate. It must be unique, also among successive processes of one Pod. */
  readonly identity: string;
  readonly onChange?: (status: ElectionStatus) => void;
  /** Kills the work of a leader; absent: nothing does. */
  readonly fence?: Fence;
  readonly log: Logger;
  /** Milliseconds since the epoch, written into the lease for people who read it; default `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds on a monotonic clock; default `performance.now`. */
  readonly elapsed?: () => number;
  /** Source of randomness in [0, 1); default `Math.random`. */
  readonly random?: () => number;
}

/** The state of a candidate. */
export type ElectionStatus =
  /** `leader` is empty while no leader is known; `problem` says why the lease cannot be acquired. */
  | { readonly type: 'standing-by'; readonly leader: string; readonly problem?: string }
  | { readonly type: 'leading' }
  | { readonly type: 'lost' };

/**
 * How a candidate came to lead: `released`, nobody held the lease, since its last holder gave it up after its work had
 * ended, or there never was one; `expired`, its last holder fell silent, or it is not known how that ended.
 */
export type TakenOver = 'released' | 'expired';

const RELEASE_MS = 3000;
/**
 * The fence falls at this share of the time between the renew deadline and the end of the lease; hooks that are ended
 * normally are gone before.
 */
const FENCE_SHARE = 0.9;

/** One candidate for the lease; see above. */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #store: LeaseStore;
  readonly #leading = latch();
  readonly #lost = new AbortController();
  #status: ElectionStatus = { type: 'standing-by', leader: '' };
  readonly #observed: ObservedLease;
  /** When the request of the last successful renewal was sent. */
  #renewedAtMs = 0;
  /** Whether a request was sent that may have made this candidate the holder. */
  #mayHold = false;
  /** As the lease was before the first request that may have made this candidate the holder. */
  #takenOver: TakenOver | undefined;
  /** Whether somebody else was seen to hold the lease when it was last there. */
  #wasHeld = false;
  /** Whether the last attempt failed. */
  #hasFailed = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#store = leaseStore(options);
    this.#observed = new ObservedLease({ ...options, elapsed: () => this.#elapsed() });
  }

  get status(): ElectionStatus {
    return this.#status;
  }

  /** Resolves when this candidate leads; stays pending if it never does. */
  get leading(): Promise<void> {
    return this.#leading.promise;
  }

  /** Aborts when the lease is lost: all work of a leader must stop at once. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** How it came to lead; undefined while it stands by. */
  get takenOver(): TakenOver | undefined {
    return this.#status.type === 'standing-by' ? undefined : this.#takenOver;
  }

  /** Aborts `lost` if the deadline has passed; needed after this process stood still, before its timers run. */
  check(): void {
    if (this.#status.type === 'leading' && this.#leftMs() <= 0) this.#end('it was not renewed in time');
  }

  /**
   * Stands by, then leads and renews until `signal` aborts, and releases the lease. All work of a leader must have
   * ended before `signal` aborts. Rejects with `LeaseLostError` when the lease is lost.
   */
  async run(signal: AbortSignal): Promise<void> {
    await this.#acquire(signal);
    if (!signal.aborted) {
      this.#setStatus({ type: 'leading' });
      this.#leading.resolve();
      await this.#renewUntil(signal);
    }
    this.#options.fence?.();
    if (this.#mayHold) await this.#release();
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.#tryAcquire(signal)) return;
        this.#hasFailed = false;
        this.#standBy();
      } catch (error) {
        if (signal.aborted) return;
        this.#standBy(error);
      }
      await sleep(this.#pauseMs(), signal);
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<boolean> {
    const limit = { signal, timeoutMs: this.#options.renewDeadlineMs };
    this.#observed.update(await this.#store.read(limit));
    this.#noteHolder();
    if (this.#observed.heldForMs() > 0) return false;
    return this.#write({ ...limit, timeoutMs: this.#options.renewDeadlineMs / 2 });
  }

  /** A Lease that was deleted says nothing of the work of who held it. */
  #noteHolder(): void {
    const { lease, holder } = this.#observed;
    // Written by an own request whose answer was lost.
    if (holder === this.#options.identity) return;
    if (lease !== undefined) this.#wasHeld = holder !== '';
    this.#takenOver = this.#wasHeld ? 'expired' : 'released';
  }

  /** Takes or renews the lease as last read; returns false when somebody else wrote first. */
  async #write(limit: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<boolean> {
    const { identity, leaseDurationMs, now = Date.now } = this.#options;
    const { lease } = this.#observed;
    const sentAtMs = this.#elapsed();
    const claim = { holder: identity, durationMs: leaseDurationMs, nowMs: now() };
    this.#mayHold = true;
    try {
      this.#observed.update(await this.#store.write(claim, lease, limit));
    } catch (error) {
      if (isOutdated(error, lease)) return false;
      throw error;
    }
    this.#renewedAtMs = sentAtMs;
    this.#options.fence?.(this.#leftMs() + (leaseDurationMs - this.#options.renewDeadlineMs) * FENCE_SHARE);
    return true;
  }

  async #renewUntil(signal: AbortSignal): Promise<void> {
    const { retryPeriodMs } = this.#options;
    let failure: unknown;
    while (!signal.aborted) {
      await sleep(Math.min(retryPeriodMs, this.#leftMs()), signal);
      if (signal.aborted) return;
      this.lost.throwIfAborted();
      if (this.#leftMs() <= 0) this.#lose('it was not renewed in time', failure);
      try {
        await this.#renewInTime(signal);
        this.#hasFailed = false;
        failure = undefined;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLostError) throw error;
        failure = error;
        this.#logFailure(error, 'lease renewal failed, retrying');
      }
    }
  }

  /** Ends at the renewal deadline even if the request hangs. */
  async #renewInTime(signal: AbortSignal): Promise<void> {
    const limit = new AbortController();
    const stop = (): void => limit.abort(new Error('no answer before the deadline'));
    const timer = setTimeout(stop, this.#leftMs());
    signal.addEventListener('abort', stop, { once: true });
    try {
      await abortable(this.#renew(limit.signal), limit.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { renewDeadlineMs, identity } = this.#options;
    // Half of the time for one request, so that one lost request leaves time for another.
    const limit = { signal, timeoutMs: renewDeadlineMs / 2 };
    if (!this.#hasFailed && (await this.#write(limit))) return;
    // A renewal that failed may have been stored all the same, and another process may have written or deleted the Lease.
    this.#observed.update(await this.#store.read(limit));
    const { lease } = this.#observed;
    if (lease !== undefined && lease.holder !== identity) {
      this.#lose(lease.holder === '' ? 'it was released by somebody else' : `${lease.holder} holds it now`);
    }
    await this.#write(limit);
  }

  #lose(why: string, cause?: unknown): never {
    throw this.#end(why, cause);
  }

  #end(why: string, cause?: unknown): LeaseLostError {
    const { namespace, name } = this.#options;
    this.#setStatus({ type: 'lost' });
    const detail = cause instanceof Error ? ` (${cause.message})` : '';
    const error = new LeaseLostError(
      `the lease ${namespace}/${name} is lost: ${why}${detail}; this process exits so that no two leaders run at once`,
      { cause },
    );
    this.#lost.abort(error);
    return error;
  }

  /** Lets the next candidate lead at once. A failed release only delays it until the lease expires. */
  async #release(): Promise<void> {
    const { identity, namespace, name, log, now = Date.now } = this.#options;
    const limit = { signal: new AbortController().signal, timeoutMs: RELEASE_MS / 2 };
    try {
      const lease = await this.#store.read(limit);
      if (lease?.holder !== identity) return;
      await this.#store.write({ holder: '', durationMs: 1000, nowMs: now() }, lease, limit);
      log.info({ lease: `${namespace}/${name}` }, 'lease released');
    } catch (error) {
      log.warn({ err: error, lease: `${namespace}/${name}` }, 'lease could not be released, it will expire');
    }
  }

  /** Time left for a renewal. */
  #leftMs(): number {
    return this.#renewedAtMs + this.#options.renewDeadlineMs - this.#elapsed();
  }

  /**
   * The time until the next attempt, with jitter so that candidates do not collide, but not later than the expiry of
   * the lease.
   */
  #pauseMs(): number {
    const { retryPeriodMs, random = Math.random } = this.#options;
    const pauseMs = retryPeriodMs * (0.8 + 0.2 * random());
    const heldForMs = this.#observed.heldForMs();
    return heldForMs > 0 ? Math.min(pauseMs, heldForMs) : pauseMs;
  }

  #standBy(error?: unknown): void {
    const { namespace, name, identity, log } = this.#options;
    const leader = this.#observed.holder;
    if (error !== undefined) this.#logFailure(error, 'lease could not be acquired, retrying');
    const before = this.#status;
    const isSame = before.type === 'standing-by' && before.leader === leader;
    const problem = error instanceof Error ? { problem: summaryOf(error) } : {};
    this.#setStatus({ type: 'standing-by', leader, ...problem });
    if (!isSame && leader !== '' && leader !== identity) {
      log.info({ lease: `${namespace}/${name}`, leader, identity }, 'standing by');
    }
  }

  #logFailure(error: unknown, message: string): void {
    const { namespace, name, log } = this.#options;
    if (!this.#hasFailed) log.warn({ err: error, lease: `${namespace}/${name}` }, message);
    this.#hasFailed = true;
  }

  #setStatus(status: ElectionStatus): void {
    this.#status = status;
    this.#options.onChange?.(status);
  }

  #elapsed(): number {
    return (this.#options.elapsed ?? (() => performance.now()))();
  }
}
