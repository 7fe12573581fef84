/*
 * Who works on which of the 64 slices of all objects. Each replica is a member: `operator/` makes one `Slices` for each
 * process, runs it for the life of the process, and works on what `take` names until `give` has resolved or `lost`
 * aborts. Members share two things. Each renews a Lease of its own, whose annotation says which slices it holds. One
 * ConfigMap, changed by compare-and-set, says which slice each is to have (next-change.ts).
 *
 * What must hold: of two members never both work on a slice, whatever the ConfigMap says, because somebody may edit,
 * restore or delete it. So the Leases decide. Before a member works on a slice its Lease says so, and a list of all
 * Leases that was asked for after that shows no other which says it too; of two that want the same one at least one
 * sees the other. The note is withdrawn when `give` has resolved. A silent member keeps what its Lease says until
 * another has written into that Lease that it has ended, which can be done only `leaseDurationMs` after its last
 * renewal was seen; it has stopped at `renewDeadlineMs`, and its `fence` has ended its work before.
 *
 * Cost: at rest a member makes 1.1 requests in 2 s of `retryPeriodMs`, plus one: it renews (1), lists the Leases (1) and
 * reads the ConfigMap in every fifth round (0.2); with N members 1.1 N requests a second. While something moves it
 * reads the ConfigMap in each round, 1.5 N a second.
 */

import { summaryOf, UsageError } from '../../../errors.ts';
import type { Fence } from '../../../lib/fence.ts';
import { runAll } from '../../../lib/run-all.ts';
import type { SliceHash } from '../../../lib/slice-hash.ts';
import { shown } from '../../../lib/shown.ts';
import type { Logger } from '../../../log.ts';
import type { LeaderElectionTimes } from '../leader-election.ts';
import type { LeasePlace } from '../lease.ts';
import { Alarm } from './alarm.ts';
import { NO_ASSIGNMENT } from './assignment.ts';
import { HeldSlices, type SliceHandler } from './held-slices.ts';
import { MemberLease } from './member-lease.ts';
import { MEMBER_VERBS } from './member-leases.ts';
import { isShardsName, memberLeaseName, SHARDS_LABEL, SHARDS_NAME_TEXT, shardsLabel } from './member-words.ts';
import { SharedView } from './shared-view.ts';
import { SliceRounds, type RoundEnd } from './slice-rounds.ts';
import { assignmentStatus, type SlicesStatus } from './slices-status.ts';

export interface SlicesOptions extends Pick<LeasePlace, 'client' | 'namespace' | 'name'> {
  /** The identity of this member. It must be unique, also among successive processes of one Pod. */
  readonly identity: string;
  readonly times: LeaderElectionTimes;
  /** What the slices are by, as of all members. */
  readonly hash: SliceHash;
  /** Time between the beginnings of two moves while all is well. */
  readonly moveEveryMs: number;
  /** How long a slice may take to be given to another before its work is ended; default 60 s. */
  readonly giveMs?: number;
  /** How long a member that ends may take to give all away; its work is ended at three quarters of it. Default 20 s. */
  readonly leaveMs?: number;
  /** Kills the work of a member that stands still; absent: nothing does. */
  readonly fence?: Fence;
  readonly log: Logger;
  /** Milliseconds on a monotonic clock; default `performance.now`. */
  readonly elapsed?: () => number;
  /** Milliseconds since the epoch, written into Leases for people who read them; default `Date.now`. */
  readonly now?: () => number;
  /** Source of randomness in [0, 1); default `Math.random`. */
  readonly random?: () => number;
  readonly handler: SliceHandler;
}

const GIVE_MS = 60_000;
const LEAVE_MS = 20_000;
const HURRY_SHARE = 0.75;
const CONFLICT_MS = 200;

/** One member; see above. */
export class Slices {
  readonly #options: SlicesOptions;
  readonly #lease: MemberLease;
  readonly #view: SharedView;
  readonly #held: HeldSlices;
  readonly #rounds: SliceRounds;
  readonly #alarm = new Alarm();
  readonly #hurry = new AbortController();
  #state: SlicesStatus['state'] = 'joining';
  #hasLostWork = false;
  #leaseProblem: unknown;
  #roundProblem: unknown;
  #toldForeign: string | undefined;

  constructor(options: SlicesOptions) {
    const { client, namespace, name, identity, times, hash, moveEveryMs, handler, log } = options;
    const { fence = () => {}, now = Date.now, elapsed = () => performance.now(), giveMs = GIVE_MS } = options;
    if (!isShardsName(name))
      throw new UsageError(`the name of slices: got ${shown(name)}, expected ${SHARDS_NAME_TEXT}`);
    const ownLease = memberLeaseName(name, identity);
    const labels = { [SHARDS_LABEL]: shardsLabel(name) };
    const onProblem = (error: unknown): void => void (this.#leaseProblem = error);
    const place = { client, namespace, name: ownLease, labels, verbs: MEMBER_VERBS };
    const lease = new MemberLease({ ...place, identity, times, hash, fence, log, now, elapsed, onProblem });
    const { leaseDurationMs, renewDeadlineMs } = times;
    const shared = { client, namespace, name, hash };
    const requestMs = renewDeadlineMs / 2;
    const view = new SharedView({ ...shared, ownLease, leaseDurationMs, requestMs, now, elapsed });
    const ends = { lost: lease.lost, hurry: this.#hurry.signal };
    const held = new HeldSlices({ identity, handler, giveMs, ...ends, onGiven: this.#alarm.ring, log });
    this.#options = options;
    this.#lease = lease;
    this.#view = view;
    this.#held = held;
    this.#rounds = new SliceRounds({ identity, lease, view, held, moveEveryMs });
    lease.lost.addEventListener('abort', () => {
      this.#state = 'lost';
      this.#hasLostWork = held.working.size > 0;
      held.clear();
    });
  }

  /** What this member works on now, with what it is giving up. */
  get owned(): ReadonlySet<number> {
    return this.#held.working;
  }

  get status(): SlicesStatus {
    const { identity } = this.#options;
    const own = { identity, state: this.#state === 'leaving' ? 'leaving' : 'alive' } as const;
    const members =
      this.#state === 'member' || this.#state === 'leaving' ? [own, ...this.#view.others] : this.#view.others;
    const problem = this.#problem();
    return {
      state: this.#state,
      identity,
      ...assignmentStatus(this.#view.assignment ?? NO_ASSIGNMENT, members),
      ...problem,
    };
  }

  /** Aborts with a `LeaseLostError` when the own Lease is lost: all work must stop at once. */
  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  /** Aborts `lost` if the deadline has passed; needed after this process stood still, before its timers run. */
  check(): void {
    this.#lease.check();
  }

  /**
   * Joins, takes and gives slices until `signal` aborts, then gives all away and releases the Lease. Rejects with a
   * `LeaseLostError` when the Lease is lost while there is work, or when work could not be given up in time.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (await this.#lease.join(signal)) {
      this.#state = 'member';
      await this.#renewBeside(signal);
      if (this.#held.working.size > 0) throw this.#lease.end('its work could not be given up in time');
    }
    if (!this.lost.aborted) this.#state = 'ended';
    await this.#lease.release();
  }

  async #renewBeside(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const work = async (stop: AbortSignal): Promise<void> => {
      try {
        await this.#work(signal, stop);
      } finally {
        ended.abort();
      }
    };
    try {
      await runAll([async (stop) => this.#lease.renew(stop), work], ended.signal);
    } catch (error) {
      const hasLostNothing = this.lost.aborted && signal.aborted && !this.#hasLostWork;
      if (!hasLostNothing) throw error;
    }
  }

  async #work(leave: AbortSignal, stop: AbortSignal): Promise<void> {
    const { leaveMs = LEAVE_MS } = this.#options;
    const limit = new AbortController();
    const timers: NodeJS.Timeout[] = [];
    const ends = AbortSignal.any([stop, limit.signal, this.lost]);
    const beginToLeave = (): void => {
      this.#state = 'leaving';
      timers.push(setTimeout(() => this.#hurry.abort(new Error('this member ends')), leaveMs * HURRY_SHARE));
      timers.push(setTimeout(() => limit.abort(), leaveMs));
      this.#held.giveAll();
      this.#alarm.ring();
    };
    leave.addEventListener('abort', beginToLeave, { once: true });
    if (leave.aborted) beginToLeave();
    try {
      await this.#repeat(leave, ends);
    } finally {
      leave.removeEventListener('abort', beginToLeave);
      for (const timer of timers) clearTimeout(timer);
    }
  }

  async #repeat(leave: AbortSignal, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const isLeaving = leave.aborted;
      const pauseMs = await this.#round(isLeaving, stop);
      if (isLeaving && this.#rounds.hasGivenAll()) return;
      await this.#alarm.wait(pauseMs, stop);
    }
  }

  /** Returns the time until the next round. */
  async #round(isLeaving: boolean, stop: AbortSignal): Promise<number> {
    const { namespace, name, log, times } = this.#options;
    if (isLeaving) this.#held.giveAll();
    try {
      const end = await this.#rounds.round({ isLeaving }, stop);
      this.#roundProblem = undefined;
      this.#tellForeign();
      return this.#pauseMs(end);
    } catch (error) {
      if (stop.aborted) return 0;
      const isNew = this.#roundProblem === undefined;
      if (isNew) log.warn({ err: error, slices: `${namespace}/${name}` }, 'slices cannot be divided, retrying');
      this.#roundProblem = error;
      return times.retryPeriodMs;
    }
  }

  #pauseMs(end: RoundEnd): number {
    const { times, random = Math.random } = this.#options;
    switch (end) {
      case 'written':
        return 0;
      case 'conflict':
        return CONFLICT_MS * random();
      case 'nothing':
        return Math.min(times.retryPeriodMs * (0.9 + 0.2 * random()), this.#view.dueInMs);
    }
  }

  #problem(): Pick<SlicesStatus, 'problem' | 'isWaiting'> {
    const failed = [this.#leaseProblem, this.#roundProblem].filter((error) => error !== undefined).map(summaryOf);
    const { foreign, content } = this.#view;
    const unread = foreign ?? (content?.type === 'broken' ? content.problem : undefined);
    if (failed.length === 0 && unread === undefined) return {};
    const problem = [...failed, ...(unread === undefined ? [] : [unread])].join('; ');
    return { problem, ...(failed.length === 0 && foreign !== undefined && { isWaiting: true }) };
  }

  /** Says once what keeps this member waiting. */
  #tellForeign(): void {
    const { namespace, name, log } = this.#options;
    const { foreign } = this.#view;
    if (foreign !== undefined && foreign !== this.#toldForeign) {
      log.warn({ slices: `${namespace}/${name}`, problem: foreign }, 'others divide objects in another way, waiting');
    }
    this.#toldForeign = foreign;
  }
}
