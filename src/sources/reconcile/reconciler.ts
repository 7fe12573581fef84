import type { KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import type { ReconcileView } from '../../hook/context-reconcile.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import { readKeptState } from '../../hook/kept-state.ts';
import type { Emit, ReconcileReason, ReconcileTrigger } from '../../hook/trigger.ts';
import { comparePlaces, type Placed } from '../../kube/watch/object-index.ts';
import type { MonitorStatus } from '../kubernetes/monitor.ts';
import { placeKey } from '../kubernetes/late-views.ts';
import { FollowedKinds, type FollowedKindsOptions } from './followed-kinds.ts';
import { HeldObjects } from './held-objects.ts';
import { LinkedKinds } from './linked-kinds.ts';
import type { MadeChild } from './made-children.ts';
import { Parents, type IsShown, type Parent, type ParentsOptions } from './parents.ts';
import type { ParentFacts } from './part-filters.ts';
import { Resyncs } from './resyncs.ts';
import { WholeSlices } from './whole-slices.ts';

export interface ReconcilerOptions
  extends Omit<FollowedKindsOptions, 'onSliceListed'>, Pick<ParentsOptions, 'compile' | 'release' | 'onPause'> {
  readonly emit: Emit;
  /** The reason of the first look at each object; default `start`. */
  readonly startReason?: ReconcileReason;
  readonly now: () => number;
  /** Whether what else a run shows of a slice is listed; absent: there is nothing else. */
  readonly hasListedBeside?: ((slice: OwnSlice) => boolean) | undefined;
  /** It does not follow the cluster any more. */
  readonly onEnded?: () => void;
}

/** A parent by its place; with `slice` that of this slice. */
type AboutParent = Placed & Pick<Parent, 'slice'>;

/**
 * One reconcile binding at work: it follows the parents, their children and what the binding watches, and emits a
 * trigger for each parent that is to be looked at. Its unit runs it, enables it at the hook's turn, and asks it around
 * each run: `hold`, `isMoot`, then `view`, which reads all in one turn of the event loop.
 *
 * States: until all lists are complete it is not synced; until `enable` changes are only noted, since the first look at
 * each parent sees them all; then it is live. While the API server has no such kind for one of its lists, such as
 * children whose CRD was deleted, what is known is not the whole: `hold` keeps the tasks back, and they are emitted
 * again when the kind is there. An optional kind may be absent; when it comes and is listed, each parent is looked at
 * again.
 *
 * Where objects are divided, it follows the parents of the own slices alone, and looks at those of a slice from when all
 * its lists are complete (`WholeSlices`), for the first time as at the start. When a slice is given, its parents are
 * forgotten without a word: another replica works on them.
 *
 * What must hold: no object is kept twice. The monitors keep the objects; here are keys, uids and digests.
 */
export class Reconciler {
  readonly binding: ReconcileBinding;
  readonly #options: ReconcilerOptions;
  readonly #kinds: FollowedKinds;
  readonly #parents: Parents;
  readonly #linked: LinkedKinds;
  readonly #held: HeldObjects;
  readonly #resyncs: Resyncs;
  /** Absent: objects are not divided. */
  readonly #whole: WholeSlices | undefined;
  #isLive = false;

  constructor(binding: ReconcileBinding, options: ReconcilerOptions) {
    this.binding = binding;
    this.#options = options;
    const { compile, emit, now, release, onPause } = options;
    const { slices, hasListedBeside = () => true } = options;
    const kinds = new FollowedKinds({ ...options, onSliceListed: () => this.checkSlices() });
    const hasListed = (slice: OwnSlice): boolean => kinds.hasListed(slice) && hasListedBeside(slice);
    this.#whole = slices && new WholeSlices({ slices, hasListed });
    const resyncs = new Resyncs(binding, now);
    const parents = new Parents(binding, {
      compile,
      kinds,
      release,
      onPause,
      dueMs: (key) => resyncs.dueMs(key, 'start'),
      changed: (parent) => this.#lookAt([parent], 'changed'),
      given: () => {
        this.#whole?.forget();
        this.#held.dropMoved();
      },
    });
    this.#kinds = kinds;
    this.#parents = parents;
    this.#linked = new LinkedKinds(binding, {
      compile,
      kinds,
      parents,
      lookAt: (found, reason) => this.#lookAt(found, reason),
    });
    this.#held = new HeldObjects({ isIncomplete: () => kinds.isIncomplete, emit, now });
    this.#resyncs = resyncs;
  }

  /** Whether the first lists of the parents, of every kind of children and of all that is watched are complete. */
  get isSynced(): boolean {
    return this.#kinds.isSynced;
  }

  statuses(): readonly (readonly [KubernetesBinding, MonitorStatus])[] {
    return this.#kinds.statuses();
  }

  /** Follows the cluster until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const resyncs = this.#resyncs.run(
      { parents: () => (this.#isLive ? this.#parents.all() : []), lookAt: (parent) => this.#emit(parent, 'resync') },
      signal,
    );
    try {
      await Promise.all([this.#kinds.run(signal), resyncs, this.#held.run(signal), this.#parents.releaseLeft(signal)]);
    } finally {
      this.#parents.end();
      this.#options.onEnded?.();
    }
  }

  /** The hook's turn at boot: every parent is looked at, and from now on those for which something changes. */
  enable(): void {
    if (this.#isLive) return;
    this.#isLive = true;
    this.#whole?.newlyWhole();
    const { startReason = 'start' } = this.#options;
    this.#lookAt([...this.#parents.all()].toSorted(comparePlaces), startReason);
  }

  /** One more list of a slice may be complete: the parents of each that is whole now are looked at, as at the start. */
  checkSlices(): void {
    if (!this.#isLive) return;
    for (const slice of this.#whole?.newlyWhole() ?? []) {
      this.#lookAt([...this.#parents.of(slice)].toSorted(comparePlaces), 'start');
    }
  }

  /** Resolves when nothing is done any more for parents of slices that were given; when `signal` aborts, it is ended. */
  async quiet(signal: AbortSignal): Promise<void> {
    await this.#parents.quiet(signal);
  }

  /** Looks at one parent again, or at all; returns at how many. */
  lookAgain(place?: Placed): number {
    const key = place && placeKey(place);
    const parents = [...this.#parents.all()].filter((parent) => key === undefined || placeKey(parent) === key);
    for (const parent of parents) {
      parent.isGivenUp = false;
      this.#emit(parent, 'resync');
    }
    return parents.length;
  }

  /** Returns true for a trigger that has to wait, such as until all kinds are there again; it is emitted again then. */
  hold(trigger: ReconcileTrigger): boolean {
    return this.#held.hold(trigger);
  }

  /** An object is not looked at for this long: its children are written again and again. */
  rest(place: Placed, delayMs: number): void {
    this.#held.rest(place, delayMs);
  }

  /** Whether there is nothing to do: the parent is gone, or it is being deleted and does not wait for us. */
  isMoot(about: AboutParent): boolean {
    const facts = this.#parentOf(about)?.facts;
    return facts === undefined || (facts.isDeleting && !facts.isMarked);
  }

  /** What is known of a parent; undefined when it is gone. */
  facts(place: Placed): ParentFacts | undefined {
    return this.#parents.get(placeKey(place))?.facts;
  }

  /** What a run of `trigger` that begins now shows of its parent; undefined when it is gone. */
  view(trigger: ReconcileTrigger): ReconcileView | undefined {
    const key = placeKey(trigger);
    const parent = this.#parentOf(trigger);
    const object = parent && this.#parents.object(parent);
    if (parent === undefined || object === undefined) return undefined;
    parent.dueMs = this.#resyncs.dueMs(key, trigger.reason);
    // It is run after all: because it changed, or by hand.
    parent.isGivenUp = false;
    return {
      object,
      ...this.#linked.view(parent),
      isFinalizing: parent.facts.isDeleting,
      state: readKeptState(this.binding, object),
    };
  }

  /** Our finalizer was taken off this parent, whatever the watch shows of it from now on: its hook is not called again. */
  letGo(place: Placed, uid: string): void {
    this.#parents.letGo(place, uid);
  }

  /** Waits until the watch shows of a parent what is awaited, for five seconds at most. */
  async shows(place: Placed, isShown: IsShown, signal: AbortSignal): Promise<void> {
    return this.#parents.shows(place, isShown, signal);
  }

  /** The children of a parent as JSON in UTF-8. */
  children(place: Placed): readonly Uint8Array[] {
    const uid = this.facts(place)?.uid;
    return uid === undefined ? [] : this.#linked.children(uid);
  }

  /** How many lists of children there were so far: for `made`, read before children are made. */
  get childLists(): number {
    return this.#linked.childLists;
  }

  /** Records the children that exist after a run. `since` is `childLists` from before the run. */
  made(place: Placed, children: readonly MadeChild[], since: number): void {
    this.#linked.made(place, children, since);
  }

  /** An object is given up until it changes: what happens around it does not matter. */
  giveUp(place: Placed): void {
    const parent = this.#parents.get(placeKey(place));
    if (parent !== undefined) parent.isGivenUp = true;
  }

  /** One that was created anew in another slice, under the same name, is not the one of `about`: it is looked at itself. */
  #parentOf(about: AboutParent): Parent | undefined {
    const parent = this.#parents.get(placeKey(about));
    return about.slice === undefined || parent?.slice === about.slice ? parent : undefined;
  }

  #lookAt(parents: Iterable<Parent>, reason: ReconcileReason): void {
    if (!this.#isLive) return;
    for (const parent of new Set(parents)) this.#emit(parent, reason);
  }

  /** A parent that is being deleted is only looked at as long as it waits for us. */
  #emit(parent: Parent, reason: ReconcileReason): void {
    const { namespace, name, facts, isGivenUp, slice } = parent;
    if (isGivenUp || this.isMoot(parent)) return;
    if (slice !== undefined && this.#whole?.has(slice) !== true) return;
    const why = facts.isDeleting && reason === 'changed' ? 'deleted' : reason;
    const about = { namespace, name, ...(slice !== undefined && { slice }) };
    this.#options.emit({ type: 'reconcile', binding: this.binding, ...about, reason: why });
  }
}
