import type { OwnSlice } from '../../hook/shard.ts';
import type { Snapshot, SnapshotItem } from '../../hook/trigger.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { WatchTarget } from '../../kube/watch/list-watch.ts';
import { comparePlaces, type Placed } from '../../kube/watch/object-index.ts';
import { Observation, type ObservationOptions } from './observation.ts';

/** What to watch, and the own slice that its objects are in; without one they are not divided. */
export type ObservedTarget = WatchTarget & { readonly own?: OwnSlice };

interface Entry {
  readonly observation: Observation;
  readonly kind: ResourceKind;
  readonly own: OwnSlice | undefined;
}

/**
 * The observations of one binding, one for each target that it watches: together they are its snapshot. The monitor
 * calls `observe` whenever the kind or the namespaces change, and `changed` whenever an observation reports events.
 *
 * An observation lives as long as its target is wanted. It survives a change of the kind's version, and keeps its
 * objects until the list of the new version is done. The snapshot is built when it is first read after a change, and
 * shared until the next one.
 */
export class Observations {
  readonly #optionsOf: OptionsOf;
  readonly #entries = new Map<string, Entry>();
  #snapshot: Snapshot | undefined;

  /** `optionsOf` returns the options of a new observation; `key` identifies the observation. */
  constructor(optionsOf: OptionsOf) {
    this.#optionsOf = optionsOf;
  }

  /** Whether every observation is synced; true when there is none. */
  get isSynced(): boolean {
    return this.all().every((observation) => observation.isSynced);
  }

  get size(): number {
    let size = 0;
    for (const { observation } of this.#entries.values()) size += observation.size;
    return size;
  }

  all(): readonly Observation[] {
    return Array.from(this.#entries.values(), ({ observation }) => observation);
  }

  /** Observes exactly `targets`; the objects of a target that is not among them are Deleted. */
  observe(targets: readonly ObservedTarget[]): void {
    const wanted = new Map(targets.map((target) => [targetKey(target), target]));
    for (const [key, { own, ...target }] of wanted) {
      const entry = this.#entries.get(key);
      if (entry !== undefined && isSameKind(entry.kind, target.kind)) continue;
      const observation = entry?.observation ?? new Observation(this.#optionsOf(key, own));
      this.#entries.set(key, { observation, kind: target.kind, own });
      observation.watch(target);
    }
    // Only after all targets are added: `clear` reports events, after which the monitor checks `isSynced`.
    for (const [key, { observation }] of this.#entries) {
      if (wanted.has(key)) continue;
      this.#entries.delete(key);
      observation.end();
      observation.clear();
    }
  }

  end(): void {
    for (const observation of this.all()) observation.end();
  }

  /** Forgets a slice that was given: its objects leave the snapshot, and no event says so. */
  forget(slice: OwnSlice): void {
    for (const [key, { observation, own }] of this.#entries) {
      if (own !== slice) continue;
      this.#entries.delete(key);
      observation.end();
      observation.forget();
    }
    this.changed();
  }

  /** Whether all observations of a slice are synced; true when there is none. */
  isSliceSynced(slice: OwnSlice): boolean {
    return this.#of(slice).every((observation) => observation.isSynced);
  }

  /** The objects of a slice, sorted by namespace and name, in a new array. */
  itemsOf(slice: OwnSlice): Snapshot {
    const parts = this.#of(slice).map((observation) => observation.items());
    return parts.flat().toSorted(comparePlaces);
  }

  /** Whether an object with this namespace and name is in another slice: it was deleted, and created anew. */
  isInOther(place: Placed, slice: OwnSlice): boolean {
    return [...this.#entries.values()].some(
      ({ observation, own }) => own !== slice && observation.item(place) !== undefined,
    );
  }

  /** Must be called when an observation's objects changed. */
  changed(): void {
    this.#snapshot = undefined;
  }

  /** One object, without building the snapshot; with `slice` as that slice shows it. */
  item(place: Placed, slice?: OwnSlice): SnapshotItem | undefined {
    for (const { observation, own } of this.#entries.values()) {
      if (slice !== undefined && own !== slice) continue;
      const found = observation.item(place);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** All objects sorted by namespace and name; the same array until something changes. */
  snapshot(): Snapshot {
    this.#snapshot ??= this.#read();
    return this.#snapshot;
  }

  #of(slice: OwnSlice): readonly Observation[] {
    return [...this.#entries.values()].filter(({ own }) => own === slice).map(({ observation }) => observation);
  }

  #read(): Snapshot {
    const parts = this.all().map((observation) => observation.items());
    const [first = []] = parts;
    return parts.length < 2 ? first : parts.flat().toSorted(comparePlaces);
  }
}

/**
 * Without the kind and labels: all targets of a binding share them, and a change of the kind's version keeps the key.
 */
function targetKey({ namespace, fieldSelector, own }: ObservedTarget): string {
  return JSON.stringify(own === undefined ? [namespace, fieldSelector] : [namespace, fieldSelector, own.index]);
}

type OptionsOf = (key: string, own: OwnSlice | undefined) => ObservationOptions;

function isSameKind(left: ResourceKind, right: ResourceKind): boolean {
  return (
    left.apiVersion === right.apiVersion && left.plural === right.plural && left.isNamespaced === right.isNamespaced
  );
}
