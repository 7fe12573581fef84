import { KubeError, LeaseLostError, summaryOf } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import { latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { leaseStore, type Lease, type LeasePlace, type LeaseStore } from './lease.ts';

/** How long a leader may be silent; each is longer than the next. */
export interface LeaderElectionTimes {
  /** Others take the lease when they have seen no renewal for this long. */
  readonly leaseDurationMs: number;
  /** The leader gives up when it could not renew for this long. */
  readonly renewDeadlineMs: number;
  /** Between two tries to get or to renew it. */
  readonly retryPeriodMs: number;
}

export interface LeaderElectionOptions extends LeasePlace, LeaderElectionTimes {
  /** Who this candidate is; no other has the same, also not its own successor. */
  readonly identity: string;
  readonly onChange?: (status: ElectionStatus) => void;
  readonly log: Logger;
  /** Milliseconds since the epoch, for people who read the lease; default `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds that no change of the clock touches; default `performance.now`. */
  readonly elapsed?: () => number;
  /** Source of randomness in [0, 1); default `Math.random`. */
  readonly random?: () => number;
}

export type ElectionStatus =
  /** `leader` is empty while nobody is known to lead; `problem` says why the lease cannot be had. */
  | { readonly type: 'standing-by'; readonly leader: string; readonly problem?: string }
  | { readonly type: 'leading' }
  | { readonly type: 'lost' };

/** The lease as it was last seen to change, by our own clock: those of two machines are never compared. */
interface Sighting {
  readonly lease: Lease | undefined;
  readonly atMs: number;
}

const RELEASE_MS = 3000;

/** One candidate for a lease: at any time no more than one of all candidates leads. */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #store: LeaseStore;
  readonly #leading = latch();
  readonly #lost = new AbortController();
  #status: ElectionStatus = { type: 'standing-by', leader: '' };
  #seen: Sighting = { lease: undefined, atMs: 0 };
  /** When the request was sent that renewed it last. */
  #renewedAtMs = 0;
  /** Whether a request was sent that may have made us the holder. */
  #mayHold = false;
  /** Whether the last try failed. */
  #isTrouble = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#store = leaseStore(options);
  }

  get status(): ElectionStatus {
    return this.#status;
  }

  /** Resolves when this candidate leads; never, when it does not come to that. */
  get leading(): Promise<void> {
    return this.#leading.promise;
  }

  /** Aborts when the lease is lost: what was done under it must end at once. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Stands by, then leads and renews until `signal` aborts, and releases the lease; whatever needs the lease must have
   * ended by then. Rejects with `LeaseLostError` when it could not be kept.
   */
  async run(signal: AbortSignal): Promise<void> {
    await this.#acquire(signal);
    if (!signal.aborted) {
      this.#setStatus({ type: 'leading' });
      this.#leading.resolve();
      await this.#renewUntil(signal);
    }
    if (this.#mayHold) await this.#release();
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.#tryAcquire(signal)) return;
        this.#isTrouble = false;
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
    this.#see(await this.#store.read(limit));
    if (this.#heldForMs() > 0) return false;
    return this.#write({ ...limit, timeoutMs: this.#options.renewDeadlineMs / 2 });
  }

  /** Claims or renews the lease as it was seen; false when somebody else was faster. */
  async #write(limit: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<boolean> {
    const { identity, leaseDurationMs, now = Date.now } = this.#options;
    const { lease } = this.#seen;
    const sentAtMs = this.#elapsed();
    const claim = { holder: identity, durationMs: leaseDurationMs, nowMs: now() };
    this.#mayHold = true;
    try {
      this.#see(await this.#store.write(claim, lease, limit));
    } catch (error) {
      if (isOutdated(error, lease)) return false;
      throw error;
    }
    this.#renewedAtMs = sentAtMs;
    return true;
  }

  async #renewUntil(signal: AbortSignal): Promise<void> {
    const { retryPeriodMs } = this.#options;
    let failure: unknown;
    while (!signal.aborted) {
      await sleep(Math.min(retryPeriodMs, this.#leftMs()), signal);
      if (signal.aborted) return;
      if (this.#leftMs() <= 0) this.#lose('it could not be renewed in time', failure);
      try {
        await this.#renewInTime(signal);
        this.#isTrouble = false;
        failure = undefined;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLostError) throw error;
        failure = error;
        this.#tellTrouble(error, 'lease could not be renewed, it is tried again');
      }
    }
  }

  /** Also a request that does not end does not put off the deadline. */
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
    // Half of the time for one request, so that a lost one leaves time for another.
    const limit = { signal, timeoutMs: renewDeadlineMs / 2 };
    if (!this.#isTrouble && (await this.#write(limit))) return;
    // An earlier request may have been done whose answer was lost, or somebody deleted the lease.
    this.#see(await this.#store.read(limit));
    const { lease } = this.#seen;
    if (lease !== undefined && lease.holder !== identity) {
      this.#lose(lease.holder === '' ? 'somebody released it' : `${lease.holder} has it now`);
    }
    await this.#write(limit);
  }

  #lose(why: string, cause?: unknown): never {
    const { namespace, name } = this.#options;
    this.#setStatus({ type: 'lost' });
    const said = cause instanceof Error ? ` (${cause.message})` : '';
    const error = new LeaseLostError(
      `the lease ${namespace}/${name} was lost: ${why}${said}; this process ends, so that nothing is done twice`,
      { cause },
    );
    this.#lost.abort(error);
    throw error;
  }

  /** Lets the next one lead at once; that it fails costs no more than the lease's duration. */
  async #release(): Promise<void> {
    const { identity, namespace, name, log, now = Date.now } = this.#options;
    const limit = { signal: new AbortController().signal, timeoutMs: RELEASE_MS / 2 };
    try {
      const lease = await this.#store.read(limit);
      if (lease?.holder !== identity) return;
      await this.#store.write({ holder: '', durationMs: 1000, nowMs: now() }, lease, limit);
      log.info({ lease: `${namespace}/${name}` }, 'lease released');
    } catch (error) {
      log.warn({ err: error, lease: `${namespace}/${name}` }, 'lease could not be released, it runs out by itself');
    }
  }

  #see(lease: Lease | undefined): void {
    const isNew = this.#seen.lease?.fingerprint !== lease?.fingerprint;
    this.#seen = { lease, atMs: isNew ? this.#elapsed() : this.#seen.atMs };
  }

  /** How long another one still has the lease, as far as we know. */
  #heldForMs(): number {
    const { lease, atMs } = this.#seen;
    const { identity, leaseDurationMs } = this.#options;
    if (lease === undefined || lease.holder === '' || lease.holder === identity) return 0;
    return atMs + (lease.durationMs || leaseDurationMs) - this.#elapsed();
  }

  /** What is left of the time for a renewal. */
  #leftMs(): number {
    return this.#renewedAtMs + this.#options.renewDeadlineMs - this.#elapsed();
  }

  /** A little random, so that candidates do not come together; not later than the lease runs out. */
  #pauseMs(): number {
    const { retryPeriodMs, random = Math.random } = this.#options;
    const pauseMs = retryPeriodMs * (0.8 + 0.2 * random());
    const heldForMs = this.#heldForMs();
    return heldForMs > 0 ? Math.min(pauseMs, heldForMs) : pauseMs;
  }

  #standBy(error?: unknown): void {
    const { namespace, name, identity, log } = this.#options;
    const leader = this.#seen.lease?.holder ?? '';
    if (error !== undefined) this.#tellTrouble(error, 'lease cannot be had, it is tried again');
    const before = this.#status;
    const isSame = before.type === 'standing-by' && before.leader === leader;
    const problem = error instanceof Error ? { problem: summaryOf(error) } : {};
    this.#setStatus({ type: 'standing-by', leader, ...problem });
    if (!isSame && leader !== '' && leader !== identity) {
      log.info({ lease: `${namespace}/${name}`, leader, identity }, 'standing by');
    }
  }

  #tellTrouble(error: unknown, message: string): void {
    const { namespace, name, log } = this.#options;
    if (!this.#isTrouble) log.warn({ err: error, lease: `${namespace}/${name}` }, message);
    this.#isTrouble = true;
  }

  #setStatus(status: ElectionStatus): void {
    this.#status = status;
    this.#options.onChange?.(status);
  }

  #elapsed(): number {
    return (this.#options.elapsed ?? (() => performance.now()))();
  }
}

/** Somebody wrote, or deleted it, since it was read. */
function isOutdated(error: unknown, lease: Lease | undefined): boolean {
  if (!(error instanceof KubeError)) return false;
  return error.status === 409 || (error.status === 404 && lease !== undefined);
}
