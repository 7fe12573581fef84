import type { KubernetesBinding } from '../../hook/binding.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { ObservedEvent } from './observation.ts';
import type { ObservedTarget, Observations } from './observations.ts';
import type { Division } from './own-slices.ts';
import { slicedTargets } from './sliced-targets.ts';

export interface MonitorSlicesOptions {
  readonly binding: KubernetesBinding;
  readonly division: Division;
  readonly observations: Observations;
  /** The kind cannot be divided as the binding says. */
  readonly onRefused: (error: unknown) => void;
}

/**
 * The own slices of a divided binding. Those at its first sync are listed with it; one that is taken later is listed when
 * its own lists are complete. Until then its objects are in no event.
 */
export class MonitorSlices {
  readonly #options: MonitorSlicesOptions;
  readonly #listed = new Set<OwnSlice>();
  #isRefused = false;

  constructor(options: MonitorSlicesOptions) {
    this.#options = options;
  }

  /** Whether the kind cannot be divided as the binding says, so that nothing is watched. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** What to watch of a kind; undefined where all its objects are followed. */
  targets(kind: ResourceKind, namespaces: readonly (string | undefined)[]): readonly ObservedTarget[] | undefined {
    const { binding, division, onRefused } = this.#options;
    this.#isRefused = false;
    try {
      const field = division.fieldOf(kind);
      return field && slicedTargets({ binding, kind, namespaces, field }, division.slices);
    } catch (error) {
      this.#isRefused = true;
      onRefused(error);
      return [];
    }
  }

  isListed(slice: OwnSlice): boolean {
    return this.#listed.has(slice);
  }

  /** The slices whose lists have become complete since the last call. */
  newlyListed(): readonly OwnSlice[] {
    const { division, observations } = this.#options;
    const found = division.slices.owned.filter(
      (slice) => !this.#listed.has(slice) && observations.isSliceSynced(slice),
    );
    for (const slice of found) this.#listed.add(slice);
    return found;
  }

  given(slice: OwnSlice): void {
    this.#listed.delete(slice);
  }

  /** Events of a slice, each with it; none before its lists are complete. */
  *eventsOf(slice: OwnSlice, events: Iterable<ObservedEvent>): Generator<ObservedEvent, void, void> {
    if (!this.#listed.has(slice)) return;
    const { observations } = this.#options;
    for (const event of events) {
      // Of an object that was created anew in another slice, the watches may tell in any order.
      const isAnew = event.watchEvent === 'Deleted' && observations.isInOther(event.item, slice);
      if (!isAnew) yield { ...event, slice };
    }
  }
}
