import { unreachable } from '../../lib/unreachable.ts';
import type { WantedChild } from './desired.ts';
import type { LiveChild } from './live-child.ts';

/**
 * Decides what becomes of each child, from what is wanted and what is there; it sends nothing. `reach.ts` calls it again
 * after each round of writes, with what the answers showed, until no step is left that writes.
 *
 * What must hold: a child is deleted for its change only while its `after` is ready; of the RollingRecreate children of
 * a kind only one is away or not ready at a time; what is being deleted counts as there until it is gone.
 */

/** One wanted child with what is known of it. */
export interface ChildState {
  readonly wanted: WantedChild;
  /** Absent when it is not there. */
  readonly live?: LiveChild;
  /** Whether what is there is a child of ours; of no meaning without `live`. */
  readonly isOurs: boolean;
  /** Whether what is there differs from what is wanted. */
  readonly differs: boolean;
  /** Whether a write of it failed in this pass, so that nothing more is sent for it. */
  readonly hasFailed: boolean;
}

/** What becomes of a child. */
export type Step =
  /** It is not there, and is made. */
  | { readonly type: 'create' }
  /** What is there is changed. */
  | { readonly type: 'apply' }
  /** What is there is deleted; then it is made anew. */
  | { readonly type: 'recreate' }
  /** It is as wanted. */
  | { readonly type: 'keep' }
  /** It differs, and stays until somebody deletes it. */
  | { readonly type: 'outdated' }
  /** It is being deleted, and made anew when it is gone. */
  | { readonly type: 'wait' }
  /** It waits for other children. */
  | { readonly type: 'blocked'; readonly by: readonly string[] }
  /** Another object has its name. */
  | { readonly type: 'taken' };

/** One step for each child, in the same order. */
export function planSteps(states: readonly ChildState[]): readonly Step[] {
  const rolls = rollsOf(states);
  return states.map((state, place) => stepOf(states, state, rolls.get(place)));
}

function stepOf(states: readonly ChildState[], state: ChildState, roll: Roll | undefined): Step {
  const stays = stayOf(state);
  if (stays !== undefined) return stays;
  const by = blockers(states, state.wanted);
  if (by.length > 0) return { type: 'blocked', by };
  return state.live === undefined ? { type: 'create' } : changeOf(state, roll);
}

/** The step of a child that needs no write now, whatever the others are. */
function stayOf({ wanted, live, isOurs, differs }: ChildState): Step | undefined {
  if (live === undefined) return undefined;
  if (!isOurs) return { type: 'taken' };
  if (live.isDeleting) return { type: 'wait' };
  if (!differs) return { type: 'keep' };
  return wanted.onChange === 'OnDelete' ? { type: 'outdated' } : undefined;
}

function changeOf({ wanted }: ChildState, roll: Roll | undefined): Step {
  const { onChange } = wanted;
  switch (onChange) {
    case 'Apply':
      return { type: 'apply' };
    case 'Recreate':
      return { type: 'recreate' };
    case 'RollingRecreate':
      return roll === undefined || roll.next === wanted ? { type: 'recreate' } : { type: 'blocked', by: roll.by };
    case 'OnDelete':
      return { type: 'outdated' };
    default:
      return unreachable(onChange);
  }
}

const MAX_NAMED = 10;

/** The children that this one waits for: of `after` those that are not ready, of `needs` those that are not there. */
function blockers(states: readonly ChildState[], { after, needs }: WantedChild): readonly string[] {
  const names = (places: readonly number[], isOpen: (state: ChildState) => boolean): readonly string[] =>
    places.flatMap((place) => {
      const state = states[place];
      return state !== undefined && isOpen(state) ? [state.wanted.label] : [];
    });
  // A Namespace that is somebody else's is there too.
  return [...names(after, (state) => !isReady(state)), ...names(needs, ({ live }) => live === undefined)];
}

function isReady({ live, isOurs }: ChildState): boolean {
  return live !== undefined && isOurs && !live.isDeleting && live.readiness.state === 'ready';
}

/** The RollingRecreate children of one kind. */
interface Roll {
  /** The one that may be made anew now. */
  readonly next: WantedChild | undefined;
  /** What the others wait for. */
  readonly by: readonly string[];
}

function rollsOf(states: readonly ChildState[]): ReadonlyMap<number, Roll> {
  const placesOf = new Map<string, number[]>();
  for (const [place, { wanted }] of states.entries()) {
    if (wanted.onChange !== 'RollingRecreate') continue;
    const kind = `${wanted.resource.group}/${wanted.kind}`;
    const places = placesOf.get(kind);
    if (places === undefined) placesOf.set(kind, [place]);
    else places.push(place);
  }
  const rolls = new Map<number, Roll>();
  for (const places of placesOf.values()) {
    const roll = rollOf(places.flatMap((place) => states[place] ?? []));
    for (const place of places) rolls.set(place, roll);
  }
  return rolls;
}

/** Of those that differ, one that is not ready goes first, since nothing is lost with it. */
function rollOf(states: readonly ChildState[]): Roll {
  const open = states.filter((state) => !isOutdated(state) && !isReady(state) && !isTaken(state));
  if (open.length > 0) return { next: undefined, by: open.slice(0, MAX_NAMED).map(({ wanted }) => wanted.label) };
  const outdated = states.filter(isOutdated);
  const next = (outdated.find((state) => !isReady(state)) ?? outdated[0])?.wanted;
  return { next, by: next === undefined ? [] : [next.label] };
}

function isTaken({ live, isOurs }: ChildState): boolean {
  return live !== undefined && !isOurs;
}

/** Whether a child is there, and is to be made anew. */
function isOutdated({ live, isOurs, differs, hasFailed }: ChildState): boolean {
  return live !== undefined && isOurs && !live.isDeleting && differs && !hasFailed;
}

/** The live children that are no longer wanted, in the stages in which they are deleted. */
export function unwanted(
  live: readonly LiveChild[],
  isWanted: (child: LiveChild) => boolean,
): readonly (readonly LiveChild[])[] {
  const gone = live.filter((child) => !child.isDeleting && !isWanted(child));
  // What is deleted with them is deleted first, so that each deletion is counted.
  const holdsOthers = ({ kind }: LiveChild): boolean => kind === 'Namespace' || kind === 'CustomResourceDefinition';
  return [gone.filter((child) => !holdsOthers(child)), gone.filter(holdsOthers)].filter((stage) => stage.length > 0);
}
