/*
 * The own Lease of a member. `slices.ts` joins with it, says in it what the member holds, and stops all work when `lost`
 * aborts. What must hold, as for a leader: a member that could not renew for `renewDeadlineMs` has lost its Lease,
 * counted from when its last successful renewal was sent; others end it by a write to this very Lease, and not before
 * they saw no renewal for the longer `leaseDurationMs`. A renewal that arrives late meets that write and is refused.
 */

import { LeaseLostError } from '../../../errors.ts';
import { abortable } from '../../../lib/abortable.ts';
import { within } from '../../../lib/deadline.ts';
import type { Fence } from '../../../lib/fence.ts';
import { latch, type Latch } from '../../../lib/latch.ts';
import type { SliceHash } from '../../../lib/slice-hash.ts';
import { sleep } from '../../../lib/sleep.ts';
import type { Logger } from '../../../log.ts';
import type { LeaderElectionTimes } from '../leader-election.ts';
import { isOutdated, leaseStore, type Lease, type LeasePlace, type LeaseStore } from '../lease.ts';
import { Alarm } from './alarm.ts';
import { ENDED_MS, ENDED_NOTE, noteText, SLICES_ANNOTATION, type MemberNote } from './member-words.ts';

export interface MemberLeaseOptions extends LeasePlace {
  readonly identity: string;
  readonly times: LeaderElectionTimes;
  /** What the slices are by. */
  readonly hash: SliceHash;
  /** Kills the work of a member that stands still. */
  readonly fence: Fence;
  readonly log: Logger;
  /** Milliseconds since the epoch, written into the Lease for people who read it. */
  readonly now: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  /** Told after each request what is wrong; undefined when nothing is. */
  readonly onProblem: (error: unknown) => void;
}

const RELEASE_MS = 3000;
/** As for a leader: the share of the time between the renew deadline and the end of the Lease. */
const FENCE_SHARE = 0.9;

/** The Lease that a member holds and renews; see above. */
export class MemberLease {
  readonly #options: MemberLeaseOptions;
  readonly #store: LeaseStore;
  readonly #lost = new AbortController();
  readonly #alarm = new Alarm();
  #lease: Lease | undefined;
  /** When the request of the last successful renewal was sent; undefined before the first. */
  #renewedAtMs: number | undefined;
  /** Whether a request was sent that may have made the Lease. */
  #mayHold = false;
  #hasFailed = false;
  #note: string;
  #savedNote = '';
  #saved: Latch<void> = latch();

  constructor(options: MemberLeaseOptions) {
    this.#options = options;
    this.#note = noteText(options.hash, { slices: new Set(), isLeaving: false });
    this.#store = leaseStore(options);
  }

  /** Aborts with a `LeaseLostError` when others may end this member: all its work must stop at once. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Aborts `lost` if the deadline has passed; needed after this process stood still, before its timers run. */
  check(): void {
    if (!this.lost.aborted && this.#leftMs() <= 0) this.#lose('it was not renewed in time');
  }

  /** Creates the Lease, however often that must be tried; returns false when `signal` aborts before. */
  async join(signal: AbortSignal): Promise<boolean> {
    const { renewDeadlineMs, retryPeriodMs } = this.#options.times;
    while (!signal.aborted) {
      await this.#attempt(signal, 2 * renewDeadlineMs);
      this.lost.throwIfAborted();
      if (this.#renewedAtMs !== undefined) return true;
      await sleep(retryPeriodMs, signal);
    }
    return false;
  }

  /** Renews until `signal` aborts; rejects with a `LeaseLostError` when the Lease is lost. */
  async renew(signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.lost]);
    while (!either.aborted) {
      await this.#alarm.wait(Math.min(this.#options.times.retryPeriodMs, this.#leftMs()), either);
      this.check();
      if (!either.aborted) await this.#attempt(either, this.#leftMs());
    }
    this.lost.throwIfAborted();
  }

  /** Resolves when the Lease says this of the member; rejects when it is lost before. */
  async say(note: MemberNote): Promise<void> {
    const text = noteText(this.#options.hash, note);
    if (text === this.#note && text === this.#savedNote) return;
    this.#note = text;
    this.#saved = latch();
    this.#alarm.ring();
    await abortable(this.#saved.promise, this.lost);
  }

  /** Stops the work of this member, for a reason that it found itself. */
  end(why: string): LeaseLostError {
    return this.#lose(why);
  }

  /** Tells others that this member has ended; all its work must be over. Never rejects. */
  async release(): Promise<void> {
    const { identity, namespace, name, fence, log, now } = this.#options;
    fence();
    if (!this.#mayHold || this.lost.aborted) return;
    const limit = { signal: new AbortController().signal, timeoutMs: RELEASE_MS / 2 };
    try {
      const lease = await this.#store.read(limit);
      if (lease?.holder !== identity) return;
      await this.#store.write(endedClaim(now()), lease, limit);
    } catch (error) {
      log.warn({ err: error, lease: `${namespace}/${name}` }, 'lease could not be released, it will expire');
    }
  }

  /** Ends at the limit even if the request hangs. */
  async #attempt(signal: AbortSignal, limitMs: number): Promise<void> {
    const { namespace, name, log, onProblem } = this.#options;
    const late = (): never => {
      throw new Error('no answer before the deadline');
    };
    try {
      await within(this.#renew(signal), { limitMs, late, signal });
      this.#hasFailed = false;
      onProblem(undefined);
    } catch (error) {
      if (signal.aborted || this.lost.aborted) return;
      if (!this.#hasFailed) log.warn({ err: error, lease: `${namespace}/${name}` }, 'lease renewal failed, retrying');
      this.#hasFailed = true;
      onProblem(error);
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    // Half of the time for one request, so that one lost request leaves time for another.
    const limit = { signal, timeoutMs: this.#options.times.renewDeadlineMs / 2 };
    if (!this.#hasFailed && (await this.#write(limit))) return;
    // A renewal that failed may have been stored all the same, and somebody may have written or deleted the Lease.
    const lease = await this.#store.read(limit);
    if (lease !== undefined && lease.holder !== this.#options.identity) {
      this.#lose(lease.holder === '' ? 'another member ended it' : `${lease.holder} holds it now`);
      return;
    }
    this.#lease = lease;
    if (!(await this.#write(limit))) throw new Error('the Lease is being written by others');
  }

  /** Returns false when somebody else has written or deleted the Lease. */
  async #write(limit: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<boolean> {
    const { identity, times, now, fence } = this.#options;
    const [sentAtMs, note] = [this.#options.elapsed(), this.#note];
    this.#mayHold = true;
    try {
      const annotations = { [SLICES_ANNOTATION]: note };
      const claim = { holder: identity, durationMs: times.leaseDurationMs, nowMs: now(), annotations };
      this.#lease = await this.#store.write(claim, this.#lease, limit);
    } catch (error) {
      if (isOutdated(error, this.#lease)) return false;
      throw error;
    }
    this.#renewed(sentAtMs, note);
    if (!this.lost.aborted) fence(this.#leftMs() + (times.leaseDurationMs - times.renewDeadlineMs) * FENCE_SHARE);
    return true;
  }

  #renewed(sentAtMs: number, note: string): void {
    // An answer that comes after the deadline is too late, also where no timer was heard before it.
    this.check();
    if (this.lost.aborted) return;
    this.#renewedAtMs = sentAtMs;
    this.#savedNote = note;
    if (note === this.#note) this.#saved.resolve();
  }

  #lose(why: string): LeaseLostError {
    const { namespace, name } = this.#options;
    const error = new LeaseLostError(
      `the lease ${namespace}/${name} of this member is lost: ${why}; this process exits so that no two members work on the same objects`,
    );
    if (!this.lost.aborted) this.#lost.abort(error);
    return error;
  }

  /** Time left for a renewal. */
  #leftMs(): number {
    if (this.#renewedAtMs === undefined) return Infinity;
    return this.#renewedAtMs + this.#options.times.renewDeadlineMs - this.#options.elapsed();
  }
}

/** What is written into the Lease of a member that has ended. */
export function endedClaim(nowMs: number) {
  const annotations = { [SLICES_ANNOTATION]: ENDED_NOTE };
  return { holder: '', durationMs: ENDED_MS, nowMs, annotations };
}
