import { ALL_SLICES, type Assignment } from './assignment.ts';
import type { Member, Self } from './next-change.ts';

/**
 * The assignment where there is none that can be read: each slice belongs to the member whose Lease says that it holds
 * it, also where that member may have ended, and to nobody else.
 */
export function rebuiltAssignment(others: readonly Member[], me: Self): Assignment {
  const members = [
    { identity: me.identity, slices: me.noted },
    ...others.filter(({ state, identity }) => state !== 'ended' && identity !== ''),
  ].toSorted((a, b) => a.slices.size - b.slices.size || (a.identity < b.identity ? -1 : 1));
  const holderOf = (slice: number): string => members.find(({ slices }) => slices.has(slice))?.identity ?? '';
  return { moves: 0, slices: ALL_SLICES.map((slice) => ({ holder: holderOf(slice), wanted: '' })) };
}
