import type { KubernetesBinding } from '../../hook/binding.ts';
import type { SnapshotItem } from '../../hook/trigger.ts';
import type { Monitor, MonitorListener, MonitorStatus } from '../kubernetes/monitor.ts';
import type { Part } from './parts.ts';

/** The part of a monitor that a reconciler uses. */
export type PartMonitor = Pick<Monitor, 'run' | 'snapshot' | 'item' | 'status'>;

export interface FollowedKindsOptions {
  readonly createMonitor: (part: Part, listener: MonitorListener) => PartMonitor;
  /** The first lists of all kinds are complete; called once. */
  readonly onSynced: () => void;
  readonly onProblem: (binding: KubernetesBinding, error: unknown) => void;
}

/** Receives what happens to the objects of one kind. */
export interface KindListener {
  /** An object is there, has changed, or is gone; called for each object of the first list too. */
  seen(item: SnapshotItem, isGone: boolean): void;
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
        for (const item of monitor.snapshot()) listener.seen(item, false);
        settle();
      },
      absent: settle,
      listed: () => listener.listed?.(),
      returned: () => {
        if (part.binding.isOptional === true) listener.returned?.();
      },
      event: ({ item, watchEvent }) => listener.seen(item, watchEvent === 'Deleted'),
      problem: (error) => this.#options.onProblem(part.binding, error),
    });
    this.#monitors.push([part.binding, monitor]);
    return monitor;
  }

  /** Watches all kinds until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#monitors.map(async ([, monitor]) => monitor.run(signal)));
  }
}
