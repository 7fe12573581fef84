import type { Snapshot } from '../../hook/trigger.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { WatchTarget } from '../../kube/watch/list-watch.ts';
import { comparePlaces } from '../../kube/watch/object-index.ts';
import { Observation, type ObservationOptions } from './observation.ts';

interface Entry {
  readonly observation: Observation;
  readonly kind: ResourceKind;
}

/** The observations of one binding: one for each target it watches now. */
export class Observations {
  readonly #optionsOf: (key: string) => ObservationOptions;
  readonly #entries = new Map<string, Entry>();
  #snapshot: Snapshot | undefined;

  /** `optionsOf` gives the options of the observation that is known by a key. */
  constructor(optionsOf: (key: string) => ObservationOptions) {
    this.#optionsOf = optionsOf;
  }

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

  /** Observes exactly `targets`; the objects of one that is no longer there are Deleted. */
  observe(targets: readonly WatchTarget[]): void {
    const wanted = new Map(targets.map((target) => [targetKey(target), target]));
    for (const [key, target] of wanted) {
      const entry = this.#entries.get(key);
      if (entry !== undefined && isSameKind(entry.kind, target.kind)) continue;
      const observation = entry?.observation ?? new Observation(this.#optionsOf(key));
      this.#entries.set(key, { observation, kind: target.kind });
      observation.watch(target);
    }
    // After the new ones are there, or the set might look complete in between.
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

  /** Must be called when an observation's objects changed. */
  changed(): void {
    this.#snapshot = undefined;
  }

  /** All objects by namespace and name; the same array until something changes. */
  snapshot(): Snapshot {
    this.#snapshot ??= this.#read();
    return this.#snapshot;
  }

  #read(): Snapshot {
    const parts = this.all().map((observation) => observation.items());
    const [first = []] = parts;
    return parts.length < 2 ? first : parts.flat().toSorted(comparePlaces);
  }
}

/** A binding's targets differ in namespace and name only; the version of the kind may change under them. */
function targetKey({ namespace, fieldSelector }: WatchTarget): string {
  return JSON.stringify([namespace, fieldSelector]);
}

function isSameKind(left: ResourceKind, right: ResourceKind): boolean {
  return (
    left.apiVersion === right.apiVersion && left.plural === right.plural && left.isNamespaced === right.isNamespaced
  );
}
