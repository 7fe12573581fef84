import type { WatchEvent } from '../../hook/binding.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import type { SnapshotItem } from '../../hook/trigger.ts';
import type { WatchTarget } from '../../kube/watch/list-watch.ts';
import type { KubeObject } from '../../kube/object.ts';
import { ObjectIndex, type Placed } from '../../kube/watch/object-index.ts';
import type { WatchSubscriber } from '../../kube/watch/shared-watch.ts';
import type { Watches, WatchSubscription } from '../../kube/watch/shared-watches.ts';
import type { ObjectRecord, StoreChange } from '../../kube/watch/store.ts';
import { LateViews, placeKey, type ObjectStep, type SeenStep } from './late-views.ts';
import type { MonitorMetrics } from './monitor-metrics.ts';
import type { ObjectView } from './object-view.ts';

/** An event of one object, before the monitor decides whether it runs the hook. */
export interface ObservedEvent {
  readonly watchEvent: WatchEvent;
  readonly item: SnapshotItem;
  /** Whether the filterResult is unchanged; never without a filter. */
  readonly isSame: boolean;
  /** From a watch event; absent for objects of a list, and for deletions. */
  readonly resourceVersion?: string;
  /** The resourceVersion of the state that the binding saw before, where the watch brought the change from it. */
  readonly previousVersion?: string;
  /** The own slice of the object; absent where objects are not divided. */
  readonly slice?: OwnSlice;
}

interface LateItem {
  readonly namespace: string;
  readonly name: string;
  readonly item: Promise<SnapshotItem>;
}

/** Receives what an observation reports. */
export interface ObservationListener {
  /**
   * Events in order; may be empty. `items` shows the state after the last of them. The iterable can be read only once,
   * and only before this call returns.
   */
  observed(events: Iterable<ObservedEvent>): void;
  /** A list is complete, and what differed in it was observed. */
  listed?(): void;
  failed(error: unknown): void;
  recovered(): void;
}

export interface ObservationOptions {
  readonly watches: Watches;
  readonly keepsObjects: boolean;
  readonly hasFilter: boolean;
  readonly view: ObjectView;
  readonly metrics: MonitorMetrics;
  readonly listener: ObservationListener;
}

/**
 * What a binding sees of one watch target: its part of the snapshot, and the events in it. The monitor starts it with
 * `watch`; the shared watch calls it as a subscriber.
 *
 * A list is collected aside and takes effect at `listDone`. The first list of a target contains all objects and
 * replaces `items`; a later one contains only what differs and updates them. Between lists, each change of the watch is
 * applied as it comes.
 *
 * A filter may take long. Until it has ended, its object stays in `items` as it was known before, and other objects go
 * ahead; `LateViews` keeps the order. So the observation is synced when the first list is done and the filter has ended
 * on each object of that list. It stays synced when `watch` changes the target.
 *
 * The listener must find in `items` the state after the events it gets, and get every difference between two states of
 * `items` as an event.
 */
export class Observation implements WatchSubscriber {
  readonly keepsObjects: boolean;
  readonly #options: ObservationOptions;
  #items = new ObjectIndex<SnapshotItem>();
  #listed = new ObjectIndex<SnapshotItem>();
  /** By key, the objects of the current list whose filter has not ended. */
  #listedLate = new Map<string, LateItem>();
  readonly #views = new LateViews((step) => this.#viewed(step));
  /** The keys of objects of the first list whose filter has not ended. */
  readonly #unsynced = new Set<string>();
  #subscription: WatchSubscription | undefined;
  #isFirstList = true;
  #isSynced = false;

  constructor(options: ObservationOptions) {
    this.#options = options;
    this.keepsObjects = options.keepsObjects;
  }

  /** Whether the first list is done, and the filter has ended on each object of it. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  get size(): number {
    return this.#items.size;
  }

  get lastContactAtMs(): number | undefined {
    return this.#subscription?.lastContactAtMs;
  }

  item(place: Placed): SnapshotItem | undefined {
    return this.#items.get(place);
  }

  /** The objects sorted by namespace and name, in a new array. */
  items(): SnapshotItem[] {
    return this.#items.toArray();
  }

  /**
   * Watches `target` instead of the target before it. In its first list, objects known before are Modified, others
   * Added; objects that are not in that list are Deleted.
   */
  watch(target: WatchTarget): void {
    this.end();
    this.#isFirstList = true;
    this.#subscription = this.#options.watches.subscribe(target, this);
  }

  relist(): void {
    this.#subscription?.relist();
  }

  end(): void {
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
    this.#views.clear();
    this.#unsynced.clear();
  }

  /** Removes all objects: each causes a Deleted event with its last known state. */
  clear(): void {
    const events = this.items().map((item) => deleted(item));
    this.#items = new ObjectIndex();
    this.#options.listener.recovered();
    this.#options.listener.observed(events);
  }

  /** Forgets all objects without an event. */
  forget(): void {
    this.#items = new ObjectIndex();
    this.#options.listener.recovered();
  }

  listStarted(): void {
    this.#listed = new ObjectIndex();
    this.#listedLate = new Map();
  }

  listed(record: ObjectRecord, object: KubeObject): void {
    const { namespace, name } = record;
    const item = this.#options.view(record, object);
    if (item instanceof Promise) this.#listedLate.set(placeKey(record), { namespace, name, item });
    else this.#listed.set(item);
  }

  listDone(gone: readonly ObjectRecord[]): void {
    const listed = this.#listed;
    const late = this.#listedLate;
    this.listStarted();
    const events = this.#isFirstList ? this.#replace(listed, late) : this.#update(listed, gone, late);
    this.#isFirstList = false;
    this.#isSynced ||= this.#unsynced.size === 0;
    this.#options.listener.observed(events);
    this.#options.listener.listed?.();
  }

  changed(change: StoreChange): void {
    const startedAtMs = performance.now();
    this.#options.listener.observed(this.#change(change));
    this.#options.metrics.handled((performance.now() - startedAtMs) / 1000);
  }

  failed(error: unknown): void {
    this.#options.listener.failed(error);
  }

  recovered(): void {
    this.#options.listener.recovered();
  }

  /** Applies the first list. Its events are made when they are read: the monitor reads none before it is synced. */
  #replace(listed: ObjectIndex<SnapshotItem>, late: ReadonlyMap<string, LateItem>): Iterable<ObservedEvent> {
    const previous = this.#items;
    for (const [key, { namespace, name, item }] of late) {
      this.#unsynced.add(key);
      // Until its filter has ended, the object stays as it was known.
      const known = previous.get({ namespace, name });
      if (known !== undefined) listed.set(known);
      this.#views.take({ type: 'put', namespace, name, view: () => item });
    }
    this.#items = listed;
    return this.#differences(previous, listed);
  }

  *#differences(
    previous: ObjectIndex<SnapshotItem>,
    listed: ObjectIndex<SnapshotItem>,
  ): Generator<ObservedEvent, void, void> {
    for (const item of previous) if (listed.get(item) === undefined) yield deleted(item);
    for (const item of listed) yield this.#event(previous.get(item), item);
  }

  #update(
    listed: ObjectIndex<SnapshotItem>,
    gone: readonly ObjectRecord[],
    late: ReadonlyMap<string, LateItem>,
  ): readonly ObservedEvent[] {
    const events: ObservedEvent[] = [];
    for (const { namespace, name } of gone) events.push(...this.#step({ type: 'delete', namespace, name }));
    for (const item of listed) {
      const { namespace, name } = item;
      events.push(...this.#step({ type: 'put', namespace, name, view: () => item }));
    }
    for (const { namespace, name, item } of late.values()) {
      events.push(...this.#step({ type: 'put', namespace, name, view: () => item }));
    }
    return events;
  }

  #change(change: StoreChange): readonly ObservedEvent[] {
    const { type, record, object } = change;
    const { namespace, name } = record;
    const step = { type: type === 'Deleted' ? 'delete' : 'put', namespace, name } as const;
    if (object === undefined) return this.#step(step);
    // A waiting step reads the object after its event is over, so its JSON must be copied now.
    if (this.#views.has(step)) object.json();
    return this.#step({ ...step, ...versionsOf(change), view: () => this.#options.view(record, object) });
  }

  #step(step: ObjectStep): readonly ObservedEvent[] {
    const seen = this.#views.take(step);
    return seen === undefined ? [] : this.#apply(seen);
  }

  /** A step that had to wait is done. */
  #viewed(step: SeenStep): void {
    const events = this.#apply(step);
    if (this.#unsynced.delete(placeKey(step)) && this.#unsynced.size === 0) this.#isSynced = true;
    this.#options.listener.observed(events);
  }

  #apply({ type, namespace, name, item, resourceVersion, previousVersion }: SeenStep): readonly ObservedEvent[] {
    if (type === 'put') {
      if (item === undefined) return [];
      const versions = {
        ...(resourceVersion !== undefined && { resourceVersion }),
        ...(previousVersion !== undefined && { previousVersion }),
      };
      return [{ ...this.#put(item), ...versions }];
    }
    const known = this.#items.get({ namespace, name });
    if (known !== undefined) this.#items.delete(known);
    const last = item ?? known;
    return last === undefined ? [] : [deleted(last)];
  }

  #put(item: SnapshotItem): ObservedEvent {
    return this.#event(this.#items.set(item), item);
  }

  #event(previous: SnapshotItem | undefined, item: SnapshotItem): ObservedEvent {
    if (previous === undefined) return { watchEvent: 'Added', item, isSame: false };
    // Without a filter every change of the object counts.
    const isSame =
      this.#options.hasFilter &&
      previous.filterResult === item.filterResult &&
      previous.filterError === item.filterError;
    return { watchEvent: 'Modified', item, isSame };
  }
}

function versionsOf(change: StoreChange): Pick<ObjectStep, 'resourceVersion' | 'previousVersion'> {
  const { resourceVersion } = change.record;
  if (change.type === 'Deleted') return {};
  return change.type === 'Added' ? { resourceVersion } : { resourceVersion, previousVersion: change.previousVersion };
}

function deleted(item: SnapshotItem): ObservedEvent {
  return { watchEvent: 'Deleted', item, isSame: false };
}
