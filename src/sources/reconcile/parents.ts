import type { ReconcileBinding } from '../../hook/binding.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import type { Snapshot, SnapshotItem } from '../../hook/trigger.ts';
import type { Placed } from '../../kube/watch/object-index.ts';
import { placeKey } from '../kubernetes/late-views.ts';
import type { FollowedKinds, PartMonitor } from './followed-kinds.ts';
import { LeftParents, type LeftParentsOptions } from './left-parents.ts';
import { OwnStates } from './own-states.ts';
import { factsOf, splitResult, type ParentFacts } from './part-filters.ts';
import { parentPart, type Compile } from './parts.ts';

export interface ParentsOptions extends Pick<LeftParentsOptions, 'release'> {
  readonly compile: Compile;
  readonly kinds: Pick<FollowedKinds, 'follow'>;
  /** When the first resync of a parent is due. */
  readonly dueMs: (key: string) => number;
  /** A parent is there, or differs in what decides whether the hook is called. */
  readonly changed: (parent: Parent) => void;
  /** The parents of a slice were given, and are forgotten. */
  readonly given?: () => void;
  /** The annotation `hooklet.dev/pause` of a parent came or went. */
  readonly onPause?: ((place: Placed, isPaused: boolean) => void) | undefined;
}

/** A parent that exists. */
export interface Parent extends Placed {
  readonly facts: ParentFacts;
  /** Absent where objects are not divided. */
  readonly slice?: OwnSlice;
  /** What of the object decides whether the hook is called: a digest, or the result of the binding's own filter. */
  readonly state: string;
  /** Whether it has the annotation `hooklet.dev/pause`. */
  readonly isPaused: boolean;
  /** When the next resync of it is due, in milliseconds since the epoch. */
  dueMs: number;
  /** Whether it is left alone until it changes. */
  isGivenUp: boolean;
  /** Whether our finalizer was taken off, which the watch may show late: `facts` say so at once. */
  readonly isLetGo: boolean;
}

/** Whether these facts of a parent, none where it is gone, have what a run waits for. */
export type IsShown = (facts: ParentFacts | undefined) => boolean;

/** The parents of a reconcile binding, as their watch shows them. */
export class Parents {
  readonly #options: ParentsOptions;
  readonly #monitor: PartMonitor;
  readonly #byKey = new Map<string, Parent>();
  readonly #byUid = new Map<string, Parent>();
  readonly #left: LeftParents;
  readonly #ownStates = new OwnStates();

  constructor(binding: ReconcileBinding, options: ParentsOptions) {
    this.#options = options;
    this.#left = new LeftParents({ isBack: (uid) => this.#byUid.has(uid), release: options.release });
    this.#monitor = options.kinds.follow(parentPart(binding, options.compile), {
      seen: (item, isGone, slice) => this.#seen(item, isGone, slice),
      given: (slice, items) => this.#given(slice, items),
    });
  }

  get(key: string): Parent | undefined {
    return this.#byKey.get(key);
  }

  withUid(uid: string): Parent | undefined {
    return this.#byUid.get(uid);
  }

  all(): Iterable<Parent> {
    return this.#byKey.values();
  }

  /** Those of one slice. */
  *of(slice: OwnSlice): Generator<Parent, void, void> {
    for (const parent of this.#byKey.values()) if (parent.slice === slice) yield parent;
  }

  /** A parent as JSON in UTF-8. */
  object({ namespace, name, slice }: Parent): Uint8Array | undefined {
    return this.#monitor.item({ namespace, name }, slice)?.object;
  }

  /** Our finalizer was taken off this parent, whatever the watch shows of it from now on. */
  letGo(place: Placed, uid: string): void {
    const key = placeKey(place);
    const before = this.#byKey.get(key);
    if (before?.facts.uid !== uid) return;
    const parent = { ...before, facts: { ...before.facts, isMarked: false }, isLetGo: true };
    this.#byKey.set(key, parent);
    this.#byUid.set(uid, parent);
  }

  /** Waits until the watch shows of a parent what is awaited, for five seconds at most. */
  async shows(place: Placed, isShown: IsShown, signal: AbortSignal): Promise<void> {
    const key = placeKey(place);
    return this.#ownStates.wait(key, () => !isShown(this.#byKey.get(key)?.facts), signal);
  }

  /** Releases the parents that left the binding's selection, until `signal` aborts. */
  async releaseLeft(signal: AbortSignal): Promise<void> {
    await this.#left.run(signal);
  }

  /** Resolves when no parent of a slice that was given is being released; when `signal` aborts, that is ended. */
  async quiet(signal: AbortSignal): Promise<void> {
    await this.#left.quiet(signal);
  }

  /** The watch has ended: nobody waits any more for what it shows. */
  end(): void {
    this.#ownStates.end();
  }

  #seen(item: SnapshotItem, isGone: boolean, slice: OwnSlice | undefined): void {
    const key = placeKey(item);
    const before = this.#byKey.get(key);
    const isPaused = !isGone && item.isPaused === true;
    if (isPaused !== (before?.isPaused ?? false)) this.#options.onPause?.(item, isPaused);
    this.#byKey.delete(key);
    if (before !== undefined) this.#byUid.delete(before.facts.uid);
    if (isGone) this.#gone(key, before);
    else this.#there(item, slice, before);
  }

  /** They are the business of another replica: nothing is done for them, and nothing is remembered. */
  #given(slice: OwnSlice, items: Snapshot): void {
    for (const item of items) {
      const key = placeKey(item);
      const parent = this.#byKey.get(key);
      if (parent?.slice !== slice) continue;
      this.#byKey.delete(key);
      this.#byUid.delete(parent.facts.uid);
      if (parent.isPaused) this.#options.onPause?.(item, false);
    }
    this.#options.given?.();
  }

  #there(item: SnapshotItem, slice: OwnSlice | undefined, before: Parent | undefined): void {
    const key = placeKey(item);
    const { namespace, name, filterResult } = item;
    const { head, own: state } = splitResult(filterResult);
    const seen = factsOf(head);
    const isLetGo = before?.facts.uid === seen.uid && before.isLetGo;
    const facts = isLetGo ? { ...seen, isMarked: false } : seen;
    const isSame = before !== undefined && isAlike(before, { facts, state });
    const parent: Parent = {
      namespace,
      name,
      facts,
      state,
      isPaused: item.isPaused === true,
      dueMs: before?.dueMs ?? this.#options.dueMs(key),
      isGivenUp: isSame && before.isGivenUp,
      isLetGo,
      ...(slice !== undefined && { slice }),
    };
    this.#byKey.set(key, parent);
    this.#byUid.set(facts.uid, parent);
    this.#ownStates.seen(key);
    if (!isSame) this.#options.changed(parent);
  }

  #gone(key: string, before: Parent | undefined): void {
    this.#ownStates.seen(key);
    if (before === undefined || !before.facts.isMarked || before.facts.isDeleting) return;
    // Where the kind is missing for a while, nothing is known of its objects.
    if (this.#monitor.status().isMissing === true) return;
    // It was not deleted, since that waits for our finalizer: the binding does not select it any more.
    const { namespace, name, facts, slice } = before;
    this.#left.push({ namespace, name, uid: facts.uid, ...(slice !== undefined && { slice }) });
  }
}

/** Whether nothing differs that decides whether the hook is called. */
function isAlike(before: Pick<Parent, 'facts' | 'state'>, { facts, state }: Pick<Parent, 'facts' | 'state'>): boolean {
  const { uid, kept, isDeleting } = before.facts;
  return before.state === state && uid === facts.uid && kept === facts.kept && isDeleting === facts.isDeleting;
}
