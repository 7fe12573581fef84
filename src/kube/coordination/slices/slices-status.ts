import type { Assignment } from './assignment.ts';
import type { Member, MemberState } from './next-change.ts';

/** What one member knows of all, for people who look. */
export interface SlicesStatus {
  readonly state: 'joining' | 'member' | 'leaving' | 'ended' | 'lost';
  readonly identity: string;
  /** All that have slices or may get some, by identity. */
  readonly members: readonly MemberStatus[];
  readonly moves: readonly SliceMove[];
  /** What nobody is known to have. */
  readonly unheld: readonly number[];
  /** What keeps this member from its part, with what to do about it. */
  readonly problem?: string;
  /** The problem is that others divide objects in another way: this member takes their place when they have ended. */
  readonly isWaiting?: true;
}

export interface MemberStatus {
  readonly identity: string;
  readonly state: MemberState;
  /** What the assignment gives it. */
  readonly slices: readonly number[];
}

/** A slice that is being given up. */
export interface SliceMove {
  readonly slice: number;
  readonly from: string;
  readonly to: string;
}

/** The members, moves and unheld slices of an assignment. */
export function assignmentStatus(
  { slices }: Assignment,
  members: readonly Pick<Member, 'identity' | 'state'>[],
): Pick<SlicesStatus, 'members' | 'moves' | 'unheld'> {
  const held = new Map<string, number[]>(members.map(({ identity }) => [identity, []]));
  const unheld = slices.flatMap(({ holder }, slice) => {
    const of = held.get(holder);
    if (holder === '' || of === undefined) return [slice];
    of.push(slice);
    return [];
  });
  const shown = members.map(({ identity, state }) => ({ identity, state, slices: held.get(identity) ?? [] }));
  return {
    members: shown
      .filter((one) => one.slices.length > 0 || one.state === 'alive' || one.state === 'leaving')
      .toSorted(byIdentity),
    moves: slices.flatMap(({ holder, wanted }, slice) => (wanted === '' ? [] : [{ slice, from: holder, to: wanted }])),
    unheld,
  };
}

function byIdentity(a: MemberStatus, b: MemberStatus): number {
  return a.identity < b.identity ? -1 : 1;
}
