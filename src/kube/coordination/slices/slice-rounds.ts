import { abortable } from '../../../lib/abortable.ts';
import type { HeldSlices } from './held-slices.ts';
import type { MemberLease } from './member-lease.ts';
import { blockedSlices, loadsOf, nextChange, type Self } from './next-change.ts';
import { rebuiltAssignment } from './rebuilt-assignment.ts';
import type { SharedView } from './shared-view.ts';
import type { Assignment } from './assignment.ts';

export interface SliceRoundsOptions {
  readonly identity: string;
  readonly lease: MemberLease;
  readonly view: SharedView;
  readonly held: HeldSlices;
  readonly moveEveryMs: number;
}

/** What a round has done: written the assignment, met somebody who wrote at the same time, or nothing to write. */
export type RoundEnd = 'written' | 'conflict' | 'nothing';

/** At rest the assignment is read in each round of so many. */
const READ_EVERY = 5;

/** The rounds of one member: it looks, follows the assignment, says in its Lease what it holds, and takes that. */
export class SliceRounds {
  readonly #options: SliceRoundsOptions;
  #sinceRead = 0;

  constructor(options: SliceRoundsOptions) {
    this.#options = options;
  }

  /** Rejects when a request fails, or `stop` aborts; a member that leaves has begun to give all up. */
  async round({ isLeaving }: { readonly isLeaving: boolean }, stop: AbortSignal): Promise<RoundEnd> {
    const { lease, view, held } = this.#options;
    await view.list(stop);
    await this.#read(isLeaving, stop);
    if (!isLeaving) this.#follow();
    const noted = held.noted;
    await abortable(lease.say({ slices: noted, isLeaving }), stop);
    await this.#takeNext(stop);
    const end = await this.#change({ noted, isLeaving }, stop);
    if (end === 'nothing' && this.#isFirst()) await view.clean(stop);
    return end;
  }

  /** Whether this member has nothing of any slice any more, as far as it can tell the others. */
  hasGivenAll(): boolean {
    const { view, held, identity } = this.#options;
    const isNamed = view.assignment?.slices.some(({ holder }) => holder === identity) ?? false;
    return held.noted.size === 0 && view.content !== undefined && !isNamed;
  }

  async #read(isLeaving: boolean, stop: AbortSignal): Promise<void> {
    const { view } = this.#options;
    this.#sinceRead += 1;
    const isKnown = view.content !== undefined;
    if (isKnown && !isLeaving && this.#isAtRest() && this.#sinceRead < READ_EVERY) return;
    await view.read(stop);
    this.#sinceRead = 0;
  }

  /** Whether the Leases say what the assignment says, and nothing is to be moved. */
  #isAtRest(): boolean {
    const { view, held, identity } = this.#options;
    const { assignment, others } = view;
    if (assignment === undefined) return false;
    const notes = new Map(others.filter(({ state }) => state === 'alive').map((one) => [one.identity, one.slices]));
    notes.set(identity, held.working);
    const isDone = assignment.slices.every(
      ({ holder, wanted }, slice) => wanted === '' && notes.get(holder)?.has(slice) === true,
    );
    const loads = [...loadsOf(assignment.slices, notes.keys()).values()];
    return isDone && Math.max(...loads) - Math.min(...loads) <= 1;
  }

  #follow(): void {
    const { view, held } = this.#options;
    const { assignment, others } = view;
    if (assignment === undefined) return;
    const alive = new Set(others.filter(({ state }) => state === 'alive').map(({ identity }) => identity));
    held.follow(assignment, (identity) => alive.has(identity));
  }

  /** The Lease says that this member holds them: who else wants them sees it, if this member does not see the other. */
  async #takeNext(stop: AbortSignal): Promise<void> {
    const { lease, view, held } = this.#options;
    if (held.next.size === 0) return;
    await view.list(stop);
    const blocked = blockedSlices(view.others);
    for (const slice of held.next) {
      if (blocked.has(slice)) continue;
      lease.check();
      lease.lost.throwIfAborted();
      held.take(slice);
    }
  }

  async #change({ noted, isLeaving }: Pick<Self, 'noted' | 'isLeaving'>, stop: AbortSignal): Promise<RoundEnd> {
    const { identity, view, held, moveEveryMs } = this.#options;
    const { assignment: written, others } = view;
    const me = { identity, isLeaving, noted, working: held.working };
    if (!this.#mayWrite || (written === undefined && isLeaving)) return 'nothing';
    const assignment = written ?? rebuiltAssignment(others, me);
    const change = nextChange({ assignment, others, me, mayMove: view.sinceMoveMs >= moveEveryMs });
    const next: Assignment = change.type === 'none' ? assignment : change.assignment;
    if (next === written) return 'nothing';
    return (await view.write(next, stop)) ? 'written' : 'conflict';
  }

  /** Whether what is written is known, and of members such as this one. */
  get #mayWrite(): boolean {
    const { content, isOfOthers } = this.#options.view;
    return content !== undefined && content.type !== 'newer' && !isOfOthers;
  }

  /** Of all that are alive one cleans up. */
  #isFirst(): boolean {
    const { identity, view } = this.#options;
    return view.others.every((other) => other.state !== 'alive' || identity < other.identity);
  }
}
