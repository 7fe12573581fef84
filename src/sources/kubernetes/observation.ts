import type { WatchEvent } from '../../hook/binding.ts';
import type { SnapshotItem } from '../../hook/trigger.ts';
import type { WatchTarget } from '../../kube/list-watch.ts';
import type { KubeObject } from '../../kube/object.ts';
import { ObjectIndex } from '../../kube/object-index.ts';
import type { WatchSubscriber } from '../../kube/shared-watch.ts';
import type { Watches, WatchSubscription } from '../../kube/shared-watches.ts';
import type { ObjectRecord, StoreChange } from '../../kube/store.ts';
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
  #subscription: WatchSubscription | undefined;
  #isFirstList = true;
  #isSynced = false;

  constructor(options: ObservationOptions) {
    this.#options = options;
    this.keepsObjects = options.keepsObjects;
  }

  /** Whether the collection was listed once. */
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
  }

  listed(record: ObjectRecord, object: KubeObject): void {
    this.#listed.set(this.#options.view(record, object));
  }

  listDone(gone: readonly ObjectRecord[]): void {
    const listed = this.#listed;
    this.#listed = new ObjectIndex();
    const events = this.#isFirstList ? this.#replace(listed) : this.#update(listed, gone);
    this.#isFirstList = false;
    this.#isSynced = true;
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
  #replace(listed: ObjectIndex<SnapshotItem>): Iterable<ObservedEvent> {
    const previous = this.#items;
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

  #update(listed: ObjectIndex<SnapshotItem>, gone: readonly ObjectRecord[]): readonly ObservedEvent[] {
    const events: ObservedEvent[] = [];
    for (const record of gone) {
      const item = this.#items.get(record);
      if (item === undefined) continue;
      this.#items.delete(item);
      events.push(deleted(item));
    }
    for (const item of listed) events.push(this.#put(item));
    return events;
  }

  #change(change: StoreChange): readonly ObservedEvent[] {
    if (change.type !== 'Deleted') {
      const { resourceVersion } = change.record;
      return [{ ...this.#put(this.#options.view(change.record, change.object)), resourceVersion }];
    }
    const known = this.#items.get(change.record);
    const item = change.object === undefined ? known : this.#options.view(change.record, change.object);
    this.#items.delete(change.record);
    return item === undefined ? [] : [deleted(item)];
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
