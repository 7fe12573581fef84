import type { SliceHash } from '../../../lib/slice-hash.ts';
import type { LeasePlace, LeaseRequestOptions } from '../lease.ts';
import { assignmentStore, type AssignmentStore, type StoredAssignment } from './assignment-store.ts';
import type { Assignment, SliceEntry } from './assignment.ts';
import { memberLeases, type MemberLeases } from './member-leases.ts';
import type { Member } from './next-change.ts';
import { SeenMembers } from './seen-members.ts';

export interface SharedViewOptions extends LeasePlace {
  /** The name of the own Lease. */
  readonly ownLease: string;
  readonly leaseDurationMs: number;
  /** What the slices are by. */
  readonly hash: SliceHash;
  /** Limit of one request. */
  readonly requestMs: number;
  readonly now: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

/** So many useless Leases are deleted in one round. */
const MAX_REMOVED = 10;

/** What one member knows of what all share: the Leases of the others, and the assignment. */
export class SharedView {
  readonly #options: SharedViewOptions;
  readonly #leases: MemberLeases;
  readonly #store: AssignmentStore;
  readonly #seen: SeenMembers;
  #stored: StoredAssignment | undefined;
  #move = { count: -1, seenAtMs: 0 };

  constructor(options: SharedViewOptions) {
    this.#options = options;
    this.#leases = memberLeases(options);
    this.#store = assignmentStore(options.hash, options);
    this.#seen = new SeenMembers(options);
  }

  /** Undefined until it was read, and where a write may have changed it. */
  get content(): StoredAssignment['content'] | undefined {
    return this.#stored?.content;
  }

  /** Undefined where it cannot be read. */
  get assignment(): Assignment | undefined {
    return this.content?.type === 'read' ? this.content.assignment : undefined;
  }

  /** How others divide objects, where it is not as this member does; undefined where it is, or is unknown. */
  get foreign(): string | undefined {
    const { content } = this;
    return content?.type === 'newer' || content?.type === 'other-hash' ? content.problem : undefined;
  }

  /** Whether the assignment is of slices by another hash, and somebody may work on one of those. */
  get isOfOthers(): boolean {
    if (this.content?.type !== 'other-hash') return false;
    const ended = new Set(this.others.filter(({ state }) => state === 'ended').map(({ identity }) => identity));
    return this.#entries.some(({ holder }) => holder !== '' && !ended.has(holder));
  }

  /** All members but the own one. */
  get others(): readonly Member[] {
    return this.#seen.view(this.#named());
  }

  /** When the next Lease may be ended. */
  get dueInMs(): number {
    return this.#seen.dueInMs();
  }

  /** How long ago this member saw that a move began. */
  get sinceMoveMs(): number {
    return this.#options.elapsed() - this.#move.seenAtMs;
  }

  /** Lists the Leases, and ends those of members that were silent for too long. */
  async list(signal: AbortSignal): Promise<void> {
    this.#seen.update(await this.#leases.list(this.#limit(signal)));
    for (const seen of this.#seen.due()) {
      const ended = await this.#leases.end(seen, this.#options.now(), this.#limit(signal));
      if (ended !== undefined) this.#seen.updateOne(seen.leaseName, ended);
    }
  }

  async read(signal: AbortSignal): Promise<void> {
    this.#stored = undefined;
    this.#keep(await this.#store.read(this.#limit(signal)));
  }

  /** Returns false when somebody else has written since it was read. */
  async write(assignment: Assignment, signal: AbortSignal): Promise<boolean> {
    const before = this.#stored;
    if (before === undefined) return false;
    // Until the answer says so, nothing is known of it.
    this.#stored = undefined;
    const written = await this.#store.write(assignment, before, this.#limit(signal));
    if (written === undefined) return false;
    this.#keep(written);
    return true;
  }

  /** Deletes some Leases of members that have ended long ago. */
  async clean(signal: AbortSignal): Promise<void> {
    for (const useless of this.#seen.useless(new Set(this.#named())).slice(0, MAX_REMOVED)) {
      await this.#leases.remove(useless, this.#limit(signal));
    }
  }

  #keep(stored: StoredAssignment): void {
    this.#stored = stored;
    const count = this.assignment?.moves ?? -1;
    if (count !== this.#move.count) this.#move = { count, seenAtMs: this.#options.elapsed() };
  }

  #named(): readonly string[] {
    const named = this.#entries.flatMap(({ holder, wanted }) => [holder, wanted]);
    return named.filter((identity) => identity !== '');
  }

  get #entries(): readonly SliceEntry[] {
    const content = this.content;
    return content !== undefined && 'assignment' in content ? content.assignment.slices : [];
  }

  #limit(signal: AbortSignal): LeaseRequestOptions {
    return { signal, timeoutMs: this.#options.requestMs };
  }
}
