import type { KubernetesBinding } from '../../hook/binding.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import type { Snapshot, SnapshotItem } from '../../hook/trigger.ts';
import type { Monitor, MonitorListener, MonitorStatus } from '../kubernetes/monitor.ts';
import type { OwnSlices } from '../kubernetes/own-slices.ts';
import type { Part } from './parts.ts';

/** The part of a monitor that a reconciler uses. */
export type PartMonitor = Pick<Monitor, 'run' | 'snapshot' | 'snapshotOf' | 'hasListed' | 'item' | 'status'>;

export interface FollowedKindsOptions {
  readonly createMonitor: (part: Part, listener: MonitorListener) => PartMonitor;
  /** The first lists of all kinds are complete; called once. */
  readonly onSynced: () => void;
  readonly onProblem: (binding: KubernetesBinding, error: unknown) => void;
  /** Absent: all objects are followed. */
  readonly slices?: Pick<OwnSlices, 'owned'> | undefined;
  /** One more kind may have listed a slice. */
  readonly onSliceListed?: () => void;
}

/** Receives what happens to the objects of one kind. */
export interface KindListener {
  /**
   * An object is there, has changed, or is gone; called for each object of the first list too. `slice` is that of the
   * object, where its kind is divided.
   */
  seen(item: SnapshotItem, isGone: boolean, slice?: OwnSlice): void;
  /** A slice was given: these objects are out of sight, whatever happens to them. */
  given?(slice: OwnSlice, items: Snapshot): void;
  /** A list after the first one is complete. */
  listed?(): void;
  /** The kind is optional and was missing; now it is there, and its objects were seen. */
  returned?(): void;
}

/** All kinds that a reconcile binding follows, each with a monitor. */
export class FollowedKinds {
  readonly #options: FollowedKindsOptions;
  readonly #monitors: (readonly [KubernetesBinding, PartMonitor])[] = [];
  #unsynced = 0;

  constructor(options: FollowedKindsOptions) {
    this.#options = options;
  }

  /** Whether the first lists of all kinds are complete; an optional kind that is absent has none. */
  get isSynced(): boolean {
    return this.#unsynced === 0;
  }

  /**
   * Whether a kind is missing now, or is there again and not listed. A watch that only fails for a while shows what it
   * knew, as everywhere; an optional kind that was never listed is as good as absent.
   */
  get isIncomplete(): boolean {
    return this.#monitors.some(([, monitor]) => {
      const { isSynced, isMissing, isAbsent, isReturning } = monitor.status();
      return (isMissing === true && isAbsent !== true) || (isReturning === true && isSynced);
    });
  }

  /** Whether every kind has listed an own slice; an optional kind that was never listed is as good as absent. */
  hasListed(slice: OwnSlice): boolean {
    return this.#monitors.every(([, monitor]) => !monitor.status().isSynced || monitor.hasListed(slice));
  }

  statuses(): readonly (readonly [KubernetesBinding, MonitorStatus])[] {
    return this.#monitors.map(([binding, monitor]) => [binding, monitor.status()]);
  }

  /** Adds a kind; called before `run`. */
  follow(part: Part, listener: KindListener): PartMonitor {
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
        this.#seeAll(monitor, listener);
        settle();
        this.#options.onSliceListed?.();
      },
      absent: () => {
        settle();
        this.#options.onSliceListed?.();
      },
      sliceListed: (slice) => {
        for (const item of monitor.snapshotOf(slice)) listener.seen(item, false, slice);
        this.#options.onSliceListed?.();
      },
      sliceGiven: (slice, items) => listener.given?.(slice, items),
      listed: () => listener.listed?.(),
      returned: () => {
        if (part.binding.isOptional === true) listener.returned?.();
      },
      event: ({ item, watchEvent, slice }) => listener.seen(item, watchEvent === 'Deleted', slice),
      problem: (error) => this.#options.onProblem(part.binding, error),
    });
    this.#monitors.push([part.binding, monitor]);
    return monitor;
  }

  #seeAll(monitor: PartMonitor, listener: KindListener): void {
    const { slices } = this.#options;
    const parts = (slices?.owned ?? []).map((slice) => ({ slice, items: monitor.snapshotOf(slice) }));
    for (const { slice, items } of parts) for (const item of items) listener.seen(item, false, slice);
    // A kind that is not divided is in no slice.
    if (parts.every(({ items }) => items.length === 0)) {
      for (const item of monitor.snapshot()) listener.seen(item, false);
    }
  }

  /** Watches all kinds until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#monitors.map(async ([, monitor]) => monitor.run(signal)));
  }
}
