import type { WatchEvent } from '../../hook/binding.ts';
import type { SnapshotItem } from '../../hook/trigger.ts';
import type { WatchTarget } from '../../kube/watch/list-watch.ts';
import type { KubeObject } from '../../kube/object.ts';
import { ObjectIndex } from '../../kube/watch/object-index.ts';
import type { WatchSubscriber } from '../../kube/watch/shared-watch.ts';
import type { Watches, WatchSubscription } from '../../kube/watch/shared-watches.ts';
import type { ObjectRecord, StoreChange } from '../../kube/watch/store.ts';
import { LateViews, placeKey, type ObjectStep, type SeenStep } from './late-views.ts';
import type { MonitorMetrics } from './monitor-metrics.ts';
import type { ObjectView } from './object-view.ts';

/** Something a binding sees happen; `isSame` when its filter result is what it was. */
export interface ObservedEvent {
  readonly watchEvent: WatchEvent;
  readonly item: SnapshotItem;
  readonly isSame: boolean;
  /** The version that a watch brought; absent for what a list showed, and for what is gone. */
  readonly resourceVersion?: string;
}

interface LateItem {
  readonly namespace: string;
  readonly name: string;
  readonly item: Promise<SnapshotItem>;
}

/** What an observation tells its monitor. */
export interface ObservationListener {
  /** These happened, in this order; `items` shows the state after the last of them. To be read at once, if at all. */
  observed(events: Iterable<ObservedEvent>): void;
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

/** What a binding sees of one watch target: its part of the snapshot, and what happens to it. */
export class Observation implements WatchSubscriber {
  readonly keepsObjects: boolean;
  readonly #options: ObservationOptions;
  #items = new ObjectIndex<SnapshotItem>();
  #listed = new ObjectIndex<SnapshotItem>();
  /** Objects of the list whose filter has not ended. */
  #listedLate = new Map<string, LateItem>();
  readonly #views = new LateViews((step) => this.#viewed(step));
  /** Objects of the first list whose filter has not ended. */
  readonly #unsynced = new Set<string>();
  #subscription: WatchSubscription | undefined;
  #isFirstList = true;
  #isSynced = false;

  constructor(options: ObservationOptions) {
    this.#options = options;
    this.keepsObjects = options.keepsObjects;
  }

  /** Whether the collection was listed once, and the filter has ended on each object of it. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  get size(): number {
    return this.#items.size;
  }

  get lastContactAtMs(): number | undefined {
    return this.#subscription?.lastContactAtMs;
  }

  /** The objects by namespace and name, in an array of the caller's own. */
  items(): SnapshotItem[] {
    return this.#items.toArray();
  }

  /** Watches `target` from now on instead of what was watched; only what differs there comes as events. */
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

  /** Every object is out of sight: each comes as Deleted in its last known state. */
  clear(): void {
    const events = this.items().map((item) => deleted(item));
    this.#items = new ObjectIndex();
    this.#options.listener.recovered();
    this.#options.listener.observed(events);
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

  /** Events are made only for who reads them: before the Synchronization nobody does, and lists are long. */
  #replace(listed: ObjectIndex<SnapshotItem>, late: ReadonlyMap<string, LateItem>): Iterable<ObservedEvent> {
    const previous = this.#items;
    for (const [key, { namespace, name, item }] of late) {
      this.#unsynced.add(key);
      // Until its filter has ended, an object is what it was.
      const known = previous.get({ namespace, name });
      if (known !== undefined) listed.set(known);
      this.#views.take({ type: 'put', namespace, name, look: () => item });
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
      events.push(...this.#step({ type: 'put', namespace, name, look: () => item }));
    }
    for (const { namespace, name, item } of late.values()) {
      events.push(...this.#step({ type: 'put', namespace, name, look: () => item }));
    }
    return events;
  }

  #change({ type, record, object }: StoreChange): readonly ObservedEvent[] {
    const { namespace, name } = record;
    const step = { type: type === 'Deleted' ? 'delete' : 'put', namespace, name } as const;
    if (object === undefined) return this.#step(step);
    // What waits reads the object when its event is long over.
    if (this.#views.has(step)) object.json();
    const version = type === 'Deleted' ? {} : { resourceVersion: record.resourceVersion };
    return this.#step({ ...step, ...version, look: () => this.#options.view(record, object) });
  }

  #step(step: ObjectStep): readonly ObservedEvent[] {
    const seen = this.#views.take(step);
    return seen === undefined ? [] : this.#apply(seen);
  }

  /** A step ended later. */
  #viewed(step: SeenStep): void {
    const events = this.#apply(step);
    if (this.#unsynced.delete(placeKey(step)) && this.#unsynced.size === 0) this.#isSynced = true;
    this.#options.listener.observed(events);
  }

  #apply({ type, namespace, name, item, resourceVersion }: SeenStep): readonly ObservedEvent[] {
    if (type === 'put') {
      if (item === undefined) return [];
      return [{ ...this.#put(item), ...(resourceVersion !== undefined && { resourceVersion }) }];
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
    // Without a filter the object itself is the result, and a new version of it is never the same.
    const isSame =
      this.#options.hasFilter &&
      previous.filterResult === item.filterResult &&
      previous.filterError === item.filterError;
    return { watchEvent: 'Modified', item, isSame };
  }
}

function deleted(item: SnapshotItem): ObservedEvent {
  return { watchEvent: 'Deleted', item, isSame: false };
}
