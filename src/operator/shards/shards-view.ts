import type { ShardsView } from '../../hook/operator-view.ts';
import type { Shards } from './shards.ts';

const MAX_SHOWN = 100;

/** This replica among those that divide objects, as plain data. */
export function shardsView({
  members: { state, identity, members, moves, unheld, problem, isWaiting },
}: Pick<Shards, 'members'>): ShardsView {
  const own = members.find((member) => member.identity === identity)?.slices ?? [];
  return {
    state,
    identity,
    count: own.length,
    slices: rangesText(own),
    members: members.slice(0, MAX_SHOWN).map((member) => ({
      identity: member.identity,
      state: member.state,
      count: member.slices.length,
    })),
    moves: moves.map(({ slice, from, to }) => ({ slice, from, to })),
    // One that joins sees no others, and what others divide in another way looks as what nobody has.
    unheld: isWaiting === true || state === 'joining' ? 0 : unheld.length,
    ...(problem !== undefined && { problem }),
  };
}

/** Such as `0-31, 40`. */
export function rangesText(slices: readonly number[]): string {
  const sorted = slices.toSorted((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const slice of sorted) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === slice - 1) last[1] = slice;
    else ranges.push([slice, slice]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}

/** What of the moves is this replica's, such as `gives 3 to web-1, gets 4`. */
export function movesText({ identity, moves }: Pick<ShardsView, 'identity' | 'moves'>): string {
  const given = moves.filter(({ from }) => from === identity).map(({ slice, to }) => `gives ${slice} to ${to}`);
  const got = moves.filter(({ to }) => to === identity).map(({ slice, from }) => `gets ${slice} from ${from}`);
  return [...given, ...got].join(', ');
}
