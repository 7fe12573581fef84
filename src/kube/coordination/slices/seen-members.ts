/*
 * The Leases of all members but the own one, as this member has seen them. `slices.ts` calls `update` with each list of
 * them, and asks `view` who is alive. What must hold: how long a member was silent is counted on the own monotonic clock,
 * from when this member saw the last change; a Lease that vanished without saying that its member has ended counts as a
 * silent one. Silence alone frees nothing: `due` names the Leases that may be ended by a write which fails when they
 * were renewed meanwhile, and only what such a write has ended counts as ended.
 */

import type { SliceHash } from '../../../lib/slice-hash.ts';
import type { Lease } from '../lease.ts';
import { ENDED_MS, memberLeaseName, noteOf, type MemberNote } from './member-words.ts';
import type { Member, MemberState } from './next-change.ts';

/** The Lease of a member; undefined where it is not there. */
export interface SeenLease {
  readonly leaseName: string;
  readonly lease: Lease | undefined;
}

export interface SeenMembersOptions {
  /** What the names of the Leases begin with; see `memberLeaseName`. */
  readonly name: string;
  /** The name of the own Lease, which is not looked at. */
  readonly ownLease: string;
  /** How long a Lease counts that names no duration itself. */
  readonly leaseDurationMs: number;
  /** What the slices are by. */
  readonly hash: SliceHash;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

interface Seen extends SeenLease {
  /** Empty where nobody knows. */
  readonly identity: string;
  readonly note: MemberNote;
  readonly durationMs: number;
  /** When the last change was seen. */
  readonly changedAtMs: number;
}

const MAX_DURATION_MS = 3_600_000;
const NOTHING: MemberNote = { slices: new Set(), isLeaving: false };
/** So many Leases of members that have ended may stay for a while. */
const MAX_ENDED = 16;

/** What one member has seen of the others; see above. */
export class SeenMembers {
  readonly #options: SeenMembersOptions;
  readonly #seen = new Map<string, Seen>();

  constructor(options: SeenMembersOptions) {
    this.#options = options;
  }

  /** Records all Leases that are there now. */
  update(leases: ReadonlyMap<string, Lease>): void {
    for (const [leaseName, lease] of leases) this.updateOne(leaseName, lease);
    for (const [leaseName, seen] of this.#seen) {
      if (leases.has(leaseName) || seen.lease === undefined) continue;
      if (isEnded(seen.lease)) this.#seen.delete(leaseName);
      else this.#seen.set(leaseName, { ...seen, lease: undefined, changedAtMs: this.#options.elapsed() });
    }
  }

  /** Records one Lease. */
  updateOne(leaseName: string, lease: Lease): void {
    const { name, ownLease, leaseDurationMs, hash, elapsed } = this.#options;
    if (leaseName === ownLease) return;
    const before = this.#seen.get(leaseName);
    const isSame = before?.lease !== undefined && before.lease.fingerprint === lease.fingerprint;
    this.#seen.set(leaseName, {
      leaseName,
      lease,
      identity: memberLeaseName(name, lease.holder) === leaseName ? lease.holder : (before?.identity ?? ''),
      note: isEnded(lease) ? NOTHING : noteOf(hash, lease),
      durationMs: Math.min(lease.durationMs || leaseDurationMs, Math.max(MAX_DURATION_MS, leaseDurationMs)),
      changedAtMs: isSame ? before.changedAtMs : elapsed(),
    });
  }

  /** All members; those that the assignment names are among them, also where nothing else is known of them. */
  view(named: Iterable<string>): readonly Member[] {
    this.#expect(named);
    return [...this.#seen.values()].map((seen) => ({
      identity: seen.identity,
      state: this.#stateOf(seen),
      slices: seen.note.slices,
    }));
  }

  /** The Leases of members that have been silent for too long; each may be ended if it still is as it was seen. */
  due(): readonly SeenLease[] {
    return [...this.#seen.values()].filter((seen) => this.#stateOf(seen) === 'doubtful' && this.#leftMs(seen) <= 0);
  }

  /** When the next Lease is due, from now on; those that are due already do not count. */
  dueInMs(): number {
    const left = [...this.#seen.values()].filter((seen) => !isEnded(seen.lease)).map((seen) => this.#leftMs(seen));
    return Math.min(Infinity, ...left.filter((leftMs) => leftMs > 0));
  }

  /** The Leases of members that have ended, are not named any more, and were seen long enough by others too. */
  useless(named: ReadonlySet<string>): readonly SeenLease[] {
    const ended = [...this.#seen.values()].filter(({ lease, identity }) => isEnded(lease) && !named.has(identity));
    const { leaseDurationMs, elapsed } = this.#options;
    const old = ended.filter(({ changedAtMs }) => elapsed() - changedAtMs >= leaseDurationMs);
    return ended.length > MAX_ENDED ? ended : old;
  }

  #expect(named: Iterable<string>): void {
    const { name, ownLease, leaseDurationMs, elapsed } = this.#options;
    for (const identity of named) {
      const leaseName = memberLeaseName(name, identity);
      if (leaseName === ownLease) continue;
      const before = this.#seen.get(leaseName) ?? {
        leaseName,
        lease: undefined,
        note: NOTHING,
        durationMs: leaseDurationMs,
        changedAtMs: elapsed(),
      };
      this.#seen.set(leaseName, { ...before, identity });
    }
  }

  #stateOf(seen: Seen): MemberState {
    const { lease, leaseName, note } = seen;
    if (isEnded(lease)) return 'ended';
    const isOwnHolder = lease !== undefined && memberLeaseName(this.#options.name, lease.holder) === leaseName;
    if (!isOwnHolder || this.#leftMs(seen) <= 0) return 'doubtful';
    return note.isLeaving ? 'leaving' : 'alive';
  }

  #leftMs({ changedAtMs, durationMs }: Seen): number {
    return changedAtMs + durationMs - this.#options.elapsed();
  }
}

/** Only a member itself, or one that saw it silent for too long, writes this. */
function isEnded(lease: Lease | undefined): boolean {
  return lease?.holder === '' && lease.durationMs <= ENDED_MS;
}
