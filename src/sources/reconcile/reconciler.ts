import type { KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import type { ReconcileView } from '../../hook/context-reconcile.ts';
import { readKeptState } from '../../hook/kept-state.ts';
import { ownedKey } from '../../hook/reconcile-mark.ts';
import type { Emit, EventTrigger, ReconcileReason, ReconcileTrigger, SnapshotItem } from '../../hook/trigger.ts';
import { comparePlaces, type Placed } from '../../kube/watch/object-index.ts';
import { sleep } from '../../lib/sleep.ts';
import type { MonitorListener, MonitorStatus } from '../kubernetes/monitor.ts';
import { placeKey } from '../kubernetes/late-views.ts';
import { HeldObjects } from './held-objects.ts';
import { LeftParents, type LeftParent } from './left-parents.ts';
import { itemsOf, linkSeen, type LinkedPart, type PartMonitor } from './linked-part.ts';
import { Links } from './links.ts';
import { MadeChildren } from './made-children.ts';
import { OwnStates } from './own-states.ts';
import { Parents, type Parent } from './parents.ts';
import { ALL_PARENTS, factsOf, splitResult, type ParentFacts } from './part-filters.ts';
import { ownedPart, parentPart, watchedPart, type Compile, type Part } from './parts.ts';
import { resyncDueMs, resyncTickMs } from './resync.ts';

export interface ReconcilerOptions {
  readonly compile: Compile;
  readonly createMonitor: (part: Part, listener: MonitorListener) => PartMonitor;
  readonly emit: Emit;
  /** The first lists of all kinds are complete; called once. */
  readonly onSynced: () => void;
  readonly onProblem: (binding: KubernetesBinding, error: unknown) => void;
  /** The reason of the first look at each object; default `start`. */
  readonly startReason?: ReconcileReason;
  readonly now: () => number;
  /** Takes the finalizer off a parent that left the binding's selection; never rejects. */
  readonly release?: (parent: LeftParent, signal: AbortSignal) => Promise<void>;
  /** The annotation `hooklet.dev/pause` of a parent came or went. */
  readonly onPause?: (place: Placed, isPaused: boolean) => void;
  /** It does not follow the cluster any more. */
  readonly onEnded?: () => void;
}

type Seen = (item: SnapshotItem, isGone: boolean) => void;

interface Following {
  readonly seen: Seen;
  /** A list after the first one is complete. */
  readonly listed?: () => void;
  /** The reason given to each parent when an optional kind appears. */
  readonly reason: ReconcileReason;
}

/** A child that is there after a run. */
export interface MadeChild extends Placed {
  readonly apiVersion: string;
  readonly kind: string;
}

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
 * What must hold: no object is kept twice. The monitors keep the objects; here are keys, uids and digests.
 */
export class Reconciler {
  readonly binding: ReconcileBinding;
  readonly #options: ReconcilerOptions;
  readonly #parents = new Parents();
  readonly #parentMonitor: PartMonitor;
  readonly #owned = new Map<string, LinkedPart>();
  readonly #watched = new Map<string, LinkedPart>();
  readonly #monitors: (readonly [KubernetesBinding, PartMonitor])[] = [];
  readonly #held: HeldObjects;
  readonly #left: LeftParents;
  /** The keys of the parents that have the annotation `hooklet.dev/pause`. */
  readonly #paused = new Set<string>();
  /** The keys of the parents that are given up. */
  readonly #givenUp = new Set<string>();
  readonly #ownStates = new OwnStates();
  #unsynced = 0;
  #isLive = false;

  constructor(binding: ReconcileBinding, options: ReconcilerOptions) {
    this.binding = binding;
    this.#options = options;
    const { compile, emit, now } = options;
    this.#held = new HeldObjects({ isIncomplete: () => this.#isIncomplete(), emit, now });
    this.#left = new LeftParents({
      isBack: (uid) => this.#parents.withUid(uid) !== undefined,
      release: options.release,
    });
    const parents = parentPart(binding, compile);
    this.#parentMonitor = this.#follow(parents, {
      seen: (item, isGone) => this.#parentSeen(item, isGone),
      reason: 'start',
    });
    for (const owned of binding.owns) {
      const key = ownedKey(owned);
      this.#owned.set(key, this.#link(ownedPart(binding, owned, compile), owned, 'child'));
    }
    for (const watched of binding.watches) {
      this.#watched.set(watched.name, this.#link(watchedPart(binding, watched, compile), watched, 'watched'));
    }
  }

  /** Whether the first lists of the parents, of every kind of children and of all that is watched are complete. */
  get isSynced(): boolean {
    return this.#unsynced === 0;
  }

  statuses(): readonly (readonly [KubernetesBinding, MonitorStatus])[] {
    return this.#monitors.map(([binding, monitor]) => [binding, monitor.status()]);
  }

  /** Follows the cluster until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const monitors = this.#monitors.map(async ([, monitor]) => monitor.run(signal));
    try {
      await Promise.all([...monitors, this.#resync(signal), this.#held.run(signal), this.#left.run(signal)]);
    } finally {
      this.#ownStates.end();
      this.#options.onEnded?.();
    }
  }

  /** The hook's turn at boot: every parent is looked at, and from now on those for which something changes. */
  enable(): void {
    if (this.#isLive) return;
    this.#isLive = true;
    const { startReason = 'start' } = this.#options;
    for (const parent of [...this.#parents.all()].toSorted(comparePlaces)) this.#emit(parent, startReason);
  }

  /** Looks at one parent again, or at all; returns at how many. */
  lookAgain(place?: Placed): number {
    const parents = [...this.#parents.all()].filter((parent) => place === undefined || isAt(parent, place));
    for (const parent of parents) {
      this.#givenUp.delete(placeKey(parent));
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
  isMoot(place: Placed): boolean {
    const facts = this.facts(place);
    return facts === undefined || (facts.isDeleting && !facts.isMarked);
  }

  /** What is known of a parent; undefined when it is gone. */
  facts(place: Placed): ParentFacts | undefined {
    return this.#parents.get(placeKey(place))?.facts;
  }

  /** What a run of `trigger` that begins now shows of its parent; undefined when it is gone. */
  view(trigger: ReconcileTrigger): ReconcileView | undefined {
    const key = placeKey(trigger);
    const parent = this.#parents.get(key);
    const object = this.#parentMonitor.item(trigger)?.object;
    if (parent === undefined || object === undefined) return undefined;
    parent.dueMs = this.#dueMs(key, trigger.reason);
    // It is run after all: because it changed, or by hand.
    this.#givenUp.delete(key);
    return {
      object,
      owned: new Map([...this.#owned].map(([name, part]) => [name, itemsOf(part, parent.facts.uid)])),
      watched: new Map([...this.#watched].map(([name, part]) => [name, itemsOf(part, key, ALL_PARENTS)])),
      isFinalizing: parent.facts.isDeleting,
      state: readKeptState(this.binding, object),
    };
  }

  /** Waits until the watch shows this state of a parent, by its digest, or that the parent is gone. */
  async shows(place: Placed, { uid, kept }: Pick<ParentFacts, 'uid' | 'kept'>, signal: AbortSignal): Promise<void> {
    const key = placeKey(place);
    const isAwaited = (): boolean => {
      const facts = this.#parents.get(key)?.facts;
      return facts?.uid === uid && facts.kept !== kept;
    };
    return this.#ownStates.wait(key, isAwaited, signal);
  }

  /** The children of a parent as JSON in UTF-8. */
  children(place: Placed): readonly Uint8Array[] {
    const uid = this.facts(place)?.uid;
    if (uid === undefined) return [];
    const items = [...this.#owned.values()].flatMap((part) => itemsOf(part, uid));
    return items.flatMap(({ object }) => (object === undefined ? [] : [object]));
  }

  /** How many lists of children there were so far: for `made`, read before children are made. */
  get childLists(): number {
    return [...this.#owned.values()].reduce((sum, { made }) => sum + made.lists, 0);
  }

  /**
   * Records the children that exist after a run. Those that the watch does not show yet are tracked until it does, or
   * until the next list, after which their parent is looked at again. `since` is `childLists` from before the run.
   */
  made(place: Placed, children: readonly MadeChild[], since: number): void {
    const key = placeKey(place);
    const unseen = children.flatMap((child) => {
      const part = this.#owned.get(ownedKey(child)) ?? this.#owned.get(child.kind);
      return part === undefined || part.monitor.item(child) !== undefined ? [] : [{ part, child }];
    });
    for (const { part, child } of unseen) part.made.note(placeKey(child), key);
    if (unseen.length > 0 && this.childLists > since) this.#lookAt([key], 'child');
  }

  /** An object is given up until it changes: what happens around it does not matter. */
  giveUp(place: Placed): void {
    const key = placeKey(place);
    if (this.#parents.get(key) !== undefined) this.#givenUp.add(key);
  }

  #follow(part: Part, { seen, listed, reason }: Following): PartMonitor {
    this.#unsynced += 1;
    let isSettled = false;
    const settle = (): void => {
      if (isSettled) return;
      isSettled = true;
      this.#unsynced -= 1;
      if (this.isSynced) this.#options.onSynced();
    };
    const monitor: PartMonitor = this.#options.createMonitor(part, {
      synced: () => {
        for (const item of monitor.snapshot()) seen(item, false);
        settle();
      },
      absent: settle,
      ...(listed && { listed }),
      // What a parent wants of the kind could not be made until now.
      returned: () => {
        if (part.binding.isOptional !== true || !this.#isLive) return;
        for (const parent of this.#parents.all()) this.#emit(parent, reason);
      },
      event: ({ item, watchEvent }: EventTrigger) => seen(item, watchEvent === 'Deleted'),
      problem: (error) => this.#options.onProblem(part.binding, error),
    });
    this.#monitors.push([part.binding, monitor]);
    return monitor;
  }

  #link(part: Part, kind: LinkedPart['kind'], reason: 'child' | 'watched'): LinkedPart {
    const own = { links: new Links(), made: new MadeChildren(), kind };
    const seen: Seen = (item, isGone) => {
      const targets = linkSeen(own, item, isGone);
      if (!this.#isLive) return;
      const found = targets.flatMap((target) => this.#parentsOf(target, reason));
      for (const parent of new Set(found)) this.#emit(parent, reason);
    };
    const listed = (): void => this.#lookAt(own.made.listed(), reason);
    return { ...own, monitor: this.#follow(part, { seen, listed, reason }) };
  }

  #lookAt(keys: Iterable<string>, reason: ReconcileReason): void {
    for (const key of this.#isLive ? keys : []) {
      const parent = this.#parents.get(key);
      if (parent !== undefined) this.#emit(parent, reason);
    }
  }

  #parentsOf(target: string, reason: 'child' | 'watched'): readonly Parent[] {
    if (reason === 'watched' && target === ALL_PARENTS) return [...this.#parents.all()];
    const parent = reason === 'child' ? this.#parents.withUid(target) : this.#parents.get(target);
    return parent === undefined ? [] : [parent];
  }

  #parentSeen(item: SnapshotItem, isGone: boolean): void {
    const { namespace, name } = item;
    const key = placeKey(item);
    this.#notePause(item, !isGone && item.isPaused === true);
    if (isGone) {
      this.#parentGone(key);
      return;
    }
    const { head, own: state } = splitResult(item.filterResult);
    const facts = factsOf(head);
    const dueMs = this.#parents.get(key)?.dueMs ?? this.#dueMs(key, 'start');
    const parent: Parent = { namespace, name, facts, state, dueMs };
    const before = this.#parents.set(parent);
    this.#ownStates.seen(key);
    if (!isOther(before, parent)) return;
    this.#givenUp.delete(key);
    if (this.#isLive) this.#emit(parent, 'changed');
  }

  #parentGone(key: string): void {
    const before = this.#parents.delete(key);
    this.#ownStates.seen(key);
    this.#givenUp.delete(key);
    if (before === undefined || !before.facts.isMarked || before.facts.isDeleting) return;
    // Where the kind is missing for a while, nothing is known of its objects.
    if (this.#parentMonitor.status().isMissing === true) return;
    // It was not deleted, since that waits for our finalizer: the binding does not select it any more.
    const { namespace, name, facts } = before;
    this.#left.push({ namespace, name, uid: facts.uid });
  }

  #notePause(place: Placed, isPaused: boolean): void {
    const key = placeKey(place);
    if (this.#paused.has(key) === isPaused) return;
    if (isPaused) this.#paused.add(key);
    else this.#paused.delete(key);
    this.#options.onPause?.(place, isPaused);
  }

  /** A parent that is being deleted is only looked at as long as it waits for us. */
  #emit({ namespace, name, facts }: Parent, reason: ReconcileReason): void {
    if (facts.isDeleting && !facts.isMarked) return;
    if (this.#givenUp.has(placeKey({ namespace, name }))) return;
    const why = facts.isDeleting && reason === 'changed' ? 'deleted' : reason;
    this.#options.emit({ type: 'reconcile', binding: this.binding, namespace, name, reason: why });
  }

  #dueMs(key: string, reason: ReconcileReason): number {
    const { resyncPeriodMs: periodMs } = this.binding;
    if (periodMs === undefined) return Infinity;
    const isStart = reason === 'start' || reason === 'hook-changed';
    return resyncDueMs(key, this.#options.now(), { periodMs, isStart });
  }

  async #resync(signal: AbortSignal): Promise<void> {
    const { resyncPeriodMs: periodMs } = this.binding;
    if (periodMs === undefined) return;
    while (!signal.aborted) {
      await sleep(resyncTickMs(periodMs), signal);
      if (signal.aborted || !this.#isLive) continue;
      const nowMs = this.#options.now();
      for (const parent of this.#parents.all()) {
        if (parent.dueMs > nowMs) continue;
        parent.dueMs = nowMs + periodMs;
        this.#emit(parent, 'resync');
      }
    }
  }

  /**
   * Whether a kind is missing now, or is there again and not listed. A watch that only fails for a while shows what it
   * knew, as everywhere; an optional kind that was never listed is as good as absent.
   */
  #isIncomplete(): boolean {
    return this.#monitors.some(([, monitor]) => {
      const { isSynced, isMissing, isAbsent, isReturning } = monitor.status();
      return (isMissing === true && isAbsent !== true) || (isReturning === true && isSynced);
    });
  }
}

function isOther(before: Parent | undefined, { state, facts }: Parent): boolean {
  if (before === undefined || before.facts.kept !== facts.kept) return true;
  return before.state !== state || before.facts.isDeleting !== facts.isDeleting || before.facts.uid !== facts.uid;
}

function isAt(parent: Placed, { namespace, name }: Placed): boolean {
  return parent.namespace === namespace && parent.name === name;
}
