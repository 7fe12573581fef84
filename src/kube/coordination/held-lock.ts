import { LockLostError } from '../../errors.ts';
import { within } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import { isOutdated, type Lease, type LeaseStore } from './lease.ts';
import type { LockTimes } from './lock-times.ts';
import { holderOf } from './lock-words.ts';

export interface HeldLockOptions {
  /** `namespace/name`, for messages. */
  readonly key: string;
  readonly store: LeaseStore;
  readonly times: LockTimes;
  readonly now: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  /** Called when the work under the lock has ended. */
  readonly onEnded: () => void;
  /** Called after each renewal. */
  readonly onRenewed?: (() => void) | undefined;
}

/** The holder of a taken lock, and when the request that took it was sent. */
export interface Taken {
  readonly holder: string;
  readonly sentAtMs: number;
}

const RELEASE_MS = 1500;
/** After a failure the next renewal comes so many times sooner. */
const SOONER = 5;

/** A lock that was taken: `renew` runs beside the work under it, `lost` ends that work, and `release` is called last. */
export class HeldLock {
  readonly #options: HeldLockOptions;
  readonly #holder: string;
  readonly #lost = new AbortController();
  #lease: Lease | undefined;
  #renewedAtMs: number;
  /** Whether the last request failed, so that what the Lease says is not known. */
  #isUnsure = false;

  constructor(options: HeldLockOptions, lease: Lease, { holder, sentAtMs }: Taken) {
    this.#options = options;
    this.#lease = lease;
    this.#holder = holder;
    this.#renewedAtMs = sentAtMs;
  }

  /** Aborts with a `LockLostError` when another may take the lock: the work under it must end at once. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Aborts `lost` if the deadline has passed; needed after this process stood still, before its timers run. */
  check(): void {
    if (!this.lost.aborted && this.#leftMs() <= 0) this.#lose(lateText(this.#options.times, undefined));
  }

  /** How long the work under it may go on where this process stands still from now on. */
  get fenceInMs(): number {
    return this.#leftOf(this.#options.times.fenceMs);
  }

  /** Renews until `signal` aborts or the lock is lost; never rejects. */
  async renew(signal: AbortSignal): Promise<void> {
    const { renewMs } = this.#options.times;
    let failure: unknown;
    while (!signal.aborted && !this.lost.aborted) {
      const pauseMs = this.#isUnsure ? renewMs / SOONER : renewMs;
      await sleep(Math.min(pauseMs, this.#leftMs()), signal);
      if (signal.aborted) return;
      if (this.#leftMs() <= 0) return this.#lose(lateText(this.#options.times, failure), failure);
      try {
        await this.#renewInTime(signal);
        this.#isUnsure = false;
        failure = undefined;
      } catch (error) {
        this.#isUnsure = true;
        failure = error;
      }
    }
  }

  /** Lets the next one take it at once. A failed release only delays it until the lock expires. Never rejects. */
  async release(): Promise<void> {
    this.#options.onEnded();
    if (this.lost.aborted || (await this.#free(this.#lease))) return;
    const limit = { signal: new AbortController().signal, timeoutMs: RELEASE_MS };
    await this.#options.store.read(limit).then(
      async (lease) => this.#free(lease),
      () => false,
    );
  }

  async #free(lease: Lease | undefined): Promise<boolean> {
    const { store, now } = this.#options;
    if (lease?.holder !== this.#holder) return false;
    const limit = { signal: new AbortController().signal, timeoutMs: RELEASE_MS };
    try {
      await store.write({ holder: '', durationMs: 1000, nowMs: now() }, lease, limit);
      return true;
    } catch {
      // The Lease runs out.
      return false;
    }
  }

  /** Ends at the deadline even if the request hangs. */
  async #renewInTime(signal: AbortSignal): Promise<void> {
    const late = (): never => {
      throw new Error('no answer before the deadline');
    };
    await within(this.#renew(signal), { limitMs: this.#leftMs(), late, signal });
  }

  async #renew(signal: AbortSignal): Promise<void> {
    // Short, so that one lost request leaves time for others.
    const limit = { signal, timeoutMs: this.#options.times.renewMs };
    if (!this.#isUnsure && (await this.#write(limit))) return;
    // Somebody wrote or deleted the Lease, or an earlier renewal arrived although its response was lost.
    const lease = await this.#options.store.read(limit);
    this.#lease = lease;
    if (lease !== undefined && lease.holder !== this.#holder) {
      const why = lease.holder === '' ? 'somebody released it' : `${holderOf(lease).holder} took it`;
      return this.#lose(why);
    }
    if (!(await this.#write(limit))) throw new Error('the Lease is being written by others');
  }

  /** Returns false when somebody else has written or deleted the Lease. */
  async #write(limit: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<boolean> {
    const { store, times, now, elapsed } = this.#options;
    const sentAtMs = elapsed();
    try {
      const claim = { holder: this.#holder, durationMs: times.durationMs, nowMs: now() };
      this.#lease = await store.write(claim, this.#lease, limit);
    } catch (error) {
      if (isOutdated(error, this.#lease)) return false;
      throw error;
    }
    this.#renewedAtMs = sentAtMs;
    this.#options.onRenewed?.();
    return true;
  }

  #lose(why: string, cause?: unknown): void {
    this.#lost.abort(new LockLostError(`the lock ${this.#options.key} is lost: ${why}`, { cause }));
  }

  #leftMs(): number {
    return this.#leftOf(this.#options.times.deadlineMs);
  }

  #leftOf(limitMs: number): number {
    return Math.max(0, this.#renewedAtMs + limitMs - this.#options.elapsed());
  }
}

function lateText({ deadlineMs }: LockTimes, failure: unknown): string {
  const detail = failure instanceof Error ? ` (${failure.message})` : '';
  return `it could not be renewed for ${Math.round(deadlineMs / 1000)} s${detail}`;
}
