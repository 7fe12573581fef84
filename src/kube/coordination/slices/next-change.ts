/*
 * The rules by which members change the assignment. Each member applies them to what it sees, and writes the result by
 * compare-and-set; two that see the same never want to write different holders for one slice. What must hold: an entry
 * changes its holder only by the holder that works on the slice no more, by a member that works on the slice itself, or
 * when nobody may be working on it. The rules give balance and rest; that two members never work on one slice does not
 * depend on them, see slices.ts.
 */

import { ALL_SLICES, LEADING_SLICE, type Assignment, type SliceEntry } from './assignment.ts';

/** Another member, as one member sees it. */
export interface Member {
  /** Empty where nobody knows whose Lease it is. */
  readonly identity: string;
  readonly state: MemberState;
  /** What its Lease says that it holds, or may begin to work on. */
  readonly slices: ReadonlySet<number>;
}

export type MemberState =
  | 'alive'
  /** Alive, but it gives its slices away. */
  | 'leaving'
  /** It may be at work or not: its Lease is outdated, or gone. */
  | 'doubtful'
  /** It works on nothing, and never will. */
  | 'ended';

/** What a member decides from. */
export interface Scene {
  readonly assignment: Assignment;
  /** All members but oneself. */
  readonly others: readonly Member[];
  readonly me: Self;
  /** Whether it is long enough since the last move began. */
  readonly mayMove: boolean;
}

export interface Self {
  readonly identity: string;
  readonly isLeaving: boolean;
  /** What it works on. */
  readonly working: ReadonlySet<number>;
  /** What its Lease says or may say: all of `working`, and what it is about to take. */
  readonly noted: ReadonlySet<number>;
}

/** The change that a member should write now, if any. */
export type NextChange = { readonly type: 'none' } | { readonly type: 'change'; readonly assignment: Assignment };

/** So many slices move at once: an eighth, which nobody works on meanwhile. */
const MAX_MOVED = 8;

/** Decides what one member changes; see above. */
export function nextChange(scene: Scene): NextChange {
  const view: View = { ...scene, states: statesOf(scene), blocked: blockedSlices(scene.others) };
  const { slices, moves } = scene.assignment;
  const changed = withOrphans(withGiven(withOwn(slices, view), view), view);
  if (changed.some((entry, slice) => entry !== slices[slice])) return changeTo({ moves, slices: changed });
  const marked = withMark(slices, view);
  return marked === undefined ? { type: 'none' } : changeTo({ moves: moves + 1, slices: marked });
}

/** How many slices each member that may get more has. */
export function loadsOf(slices: readonly SliceEntry[], candidates: Iterable<string>): Map<string, number> {
  const loads = new Map([...candidates].toSorted().map((identity) => [identity, 0]));
  for (const { holder } of slices) {
    const load = loads.get(holder);
    if (load !== undefined) loads.set(holder, load + 1);
  }
  return loads;
}

interface View extends Scene {
  readonly states: ReadonlyMap<string, MemberState>;
  readonly blocked: ReadonlySet<number>;
}

function changeTo(assignment: Assignment): NextChange {
  return { type: 'change', assignment };
}

function statesOf({ others, me }: Scene): ReadonlyMap<string, MemberState> {
  const states = new Map(others.map(({ identity, state }) => [identity, state] as const));
  return states.set(me.identity, me.isLeaving ? 'leaving' : 'alive');
}

/** What others hold or may hold, whatever the assignment says. */
export function blockedSlices(others: readonly Member[]): ReadonlySet<number> {
  return new Set(others.filter(({ state }) => state !== 'ended').flatMap(({ slices }) => [...slices]));
}

/**
 * What this member works on is its own, unless one that is alive is named and it does not lead by it; what nobody can want
 * is not wanted.
 */
function withOwn(slices: readonly SliceEntry[], { states, me }: View): readonly SliceEntry[] {
  const isAlive = (identity: string): boolean => ['alive', 'leaving'].includes(states.get(identity) ?? '');
  return slices.map((entry, slice) => {
    const isKept = slice === LEADING_SLICE ? isOther(entry, me) : !isAlive(entry.holder);
    if (me.working.has(slice) && isKept) return { holder: me.identity, wanted: '' };
    if (entry.holder !== me.identity || entry.wanted === '') return entry;
    const isWanted = entry.wanted !== me.identity && states.get(entry.wanted) === 'alive';
    return isWanted ? entry : { holder: me.identity, wanted: '' };
  });
}

function isOther({ holder, wanted }: SliceEntry, { identity }: Self): boolean {
  return holder !== identity || wanted !== '';
}

/** What this member has given up goes to the one that wants it, and where this member leaves, to the poorest. */
function withGiven(slices: readonly SliceEntry[], view: View): readonly SliceEntry[] {
  const { identity, noted, isLeaving } = view.me;
  const loads = loadsOf(slices, candidatesOf(view));
  return slices.map((entry, slice) => {
    if (entry.holder !== identity || noted.has(slice)) return entry;
    if (entry.wanted === '' && !isLeaving) return entry;
    const holder = entry.wanted === '' ? poorestOf(loads) : entry.wanted;
    loads.set(holder, (loads.get(holder) ?? 0) + 1);
    return { holder, wanted: '' };
  });
}

/** Slices that nobody has are divided among all that are alive; this member takes its own part. */
function withOrphans(slices: readonly SliceEntry[], view: View): readonly SliceEntry[] {
  const { states, blocked, me } = view;
  const loads = loadsOf(slices, candidatesOf(view));
  return slices.map((entry, slice) => {
    const isOrphan = (entry.holder === '' || states.get(entry.holder) === 'ended') && !blocked.has(slice);
    if (!isOrphan) return entry;
    const holder = poorestOf(loads);
    loads.set(holder, (loads.get(holder) ?? 0) + 1);
    return holder === me.identity ? { holder, wanted: '' } : entry;
  });
}

/**
 * Where all is well, the poorest marks slices of the richest, while no other move is under way: several at once, since
 * whoever takes some lists the objects of its kinds anew. No more than both keep their fair part, so none moves twice.
 */
function withMark(slices: readonly SliceEntry[], view: View): readonly SliceEntry[] | undefined {
  const { states, me, mayMove } = view;
  const isWell = slices.every(({ holder, wanted }) => wanted === '' && states.get(holder) === 'alive');
  if (!isWell || !mayMove) return undefined;
  const loads = loadsOf(slices, candidatesOf(view));
  const richest = richestOf(loads);
  const rich = loads.get(richest) ?? 0;
  const excess = rich - (loads.get(me.identity) ?? 0);
  if (poorestOf(loads) !== me.identity || excess < 2) return undefined;
  const fair = Math.ceil(slices.length / loads.size);
  const count = Math.max(1, Math.min(MAX_MOVED, Math.floor(excess / 2), rich - fair));
  const moved = new Set(ALL_SLICES.filter((slice) => slices[slice]?.holder === richest).slice(-count));
  return slices.map((entry, slice) => (moved.has(slice) ? { ...entry, wanted: me.identity } : entry));
}

function candidatesOf({ states }: View): readonly string[] {
  return [...states].filter(([, state]) => state === 'alive').map(([identity]) => identity);
}

/** Of equals the first; empty where there is none. */
function poorestOf(loads: ReadonlyMap<string, number>): string {
  return [...loads].reduce((best, one) => (one[1] < best[1] ? one : best), ['', Infinity] as const)[0];
}

function richestOf(loads: ReadonlyMap<string, number>): string {
  return [...loads].reduce((best, one) => (one[1] > best[1] ? one : best), ['', -1] as const)[0];
}
