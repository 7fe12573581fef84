import { isAskBinding, type AskBinding } from '../hook/ask-binding.ts';
import type { Hook, KubernetesBinding } from '../hook/binding.ts';
import type { DebugSnapshot } from '../hook/debug-view.ts';
import { isDivided } from '../hook/shard-rules.ts';
import type { OwnSlice } from '../hook/shard.ts';
import type { EventTrigger, Snapshot, SynchronizationTrigger } from '../hook/trigger.ts';
import { abortable } from '../lib/abortable.ts';
import type { Monitor, MonitorListener, MonitorStatus } from '../sources/kubernetes/monitor.ts';
import type { ObservedChange } from '../sources/kubernetes/wanted-events.ts';
import { SnapshotViews, type ViewedMonitor } from './snapshot-views.ts';
import { UnitBinding } from './unit-binding.ts';

/** The part of a monitor that a unit uses. */
export type UnitMonitor = Pick<Monitor, 'run' | 'status'> &
  ViewedMonitor &
  Partial<Pick<Monitor, 'snapshotOf' | 'hasListed'>>;

export interface UnitBindingsOptions {
  readonly createMonitor: (binding: KubernetesBinding, listener: MonitorListener) => UnitMonitor;
  /** One more of them has its first list. */
  readonly onSynced: () => void;
  readonly onProblem: (binding: KubernetesBinding, error: unknown) => void;
  /** Receives the events that are to run the hook. */
  readonly onEvent: (trigger: EventTrigger) => void;
  /** An object of a binding changed, and the binding wants no event of that. */
  readonly onSeen: (binding: KubernetesBinding, change: ObservedChange) => void;
  /** An event does not run the hook now; `reason` is a phrase for the log. */
  readonly onHeld: (trigger: EventTrigger, reason: string) => void;
  /** The objects of a slice that was taken are known, and a Synchronization of them is to be queued. */
  readonly onHandover?: (binding: KubernetesBinding, slice: OwnSlice) => void;
  /** The snapshot of one of them shows a slice that was taken. */
  readonly onSliceListed?: () => void;
  /** A slice was given: nothing of it is owed any more. */
  readonly onGiven?: (binding: KubernetesBinding, slice: OwnSlice) => void;
}

interface WatchedBinding {
  readonly state: UnitBinding;
  readonly monitor: UnitMonitor;
}

/** The kubernetes bindings of a hook at work, each with its monitor and its state. */
export class UnitBindings {
  readonly #all: ReadonlyMap<KubernetesBinding, WatchedBinding>;
  /** Those whose objects the contexts of requests show. */
  readonly #shown: ReadonlySet<WatchedBinding>;
  readonly #views: SnapshotViews;

  constructor({ bindings }: Hook, options: UnitBindingsOptions) {
    const watched = bindings.filter((binding) => binding.type === 'kubernetes');
    this.#all = new Map(watched.map((binding) => [binding, watch(binding, options)]));
    this.#shown = new Set(bindings.filter(isAskBinding).flatMap((binding) => this.#shownBy(binding)));
    this.#views = new SnapshotViews(new Map([...this.#all].map(([binding, { monitor }]) => [binding, monitor])));
  }

  get isSynced(): boolean {
    return [...this.#all.values()].every(({ state }) => state.isSynced);
  }

  statuses(): readonly (readonly [KubernetesBinding, MonitorStatus])[] {
    return [...this.#all].map(([binding, { monitor }]) => [binding, monitor.status()]);
  }

  /** The snapshot of one binding now; with `slice` what of it is in that slice. */
  objects(binding: KubernetesBinding, slice?: OwnSlice): Snapshot {
    const monitor = this.#all.get(binding)?.monitor;
    return (slice === undefined ? monitor?.snapshot() : monitor?.snapshotOf?.(slice)) ?? [];
  }

  /** The snapshots of all bindings, for the debug API. */
  snapshots(): readonly DebugSnapshot[] {
    return this.#views.all();
  }

  /** Whether the snapshots of the divided bindings among these show an own slice. */
  hasListed(names: readonly string[], slice: OwnSlice): boolean {
    const meant = [...this.#all].filter(([binding]) => names.includes(binding.name) && isDivided(binding));
    return meant.every(([, { monitor }]) => monitor.hasListed?.(slice) !== false);
  }

  /** Resolves when the first list of a binding is complete; undefined when it is. */
  listing(binding: KubernetesBinding): Promise<void> | undefined {
    const state = this.#all.get(binding)?.state;
    return state === undefined || state.isSynced ? undefined : state.whenSynced;
  }

  /** Whether all objects are known that the context of a request shows. */
  isKnown(binding: AskBinding): boolean {
    return this.#shownBy(binding).every(({ state }) => state.isSynced);
  }

  /** Resolves when all objects are known that the context of a request shows; rejects when `signal` aborts. */
  async known(binding: AskBinding, signal: AbortSignal): Promise<void> {
    if (this.isKnown(binding)) return;
    await abortable(Promise.all(this.#shownBy(binding).map(async ({ state }) => state.whenSynced)), signal);
  }

  /** Watches the objects that requests show, until `signal` aborts. */
  async runShown(signal: AbortSignal): Promise<void> {
    await follow([...this.#shown], signal);
  }

  /** Watches all other objects, until `signal` aborts. */
  async runOthers(signal: AbortSignal): Promise<void> {
    const others = [...this.#all.values()].filter((one) => !this.#shown.has(one));
    await follow(others, signal);
  }

  /** The hook's turn at boot, for the bindings that `isMeant`; returns those that owe a Synchronization. */
  enable(isMeant: (binding: KubernetesBinding) => boolean): readonly KubernetesBinding[] {
    const meant = [...this.#all].filter(([binding]) => isMeant(binding));
    return meant.filter(([, { state }]) => state.enable()).map(([binding]) => binding);
  }

  /** A run reads the snapshots now; it is an attempt at these Synchronizations. */
  begin(synchronized: readonly SynchronizationTrigger[]): void {
    for (const { binding, slice } of synchronized) this.#all.get(binding)?.state.begin(slice);
    this.#views.executed();
  }

  /** These Synchronizations failed, and are run again. */
  fail(synchronized: readonly SynchronizationTrigger[]): void {
    for (const { binding, slice } of synchronized) this.#all.get(binding)?.state.fail(slice);
  }

  /** These Synchronizations are done. */
  finish(synchronized: readonly SynchronizationTrigger[]): void {
    for (const { binding, slice } of synchronized) this.#all.get(binding)?.state.finish(slice);
  }

  /** The bindings whose objects the context of a request shows; several may have one name. */
  #shownBy({ includeSnapshotsFrom: names }: AskBinding): readonly WatchedBinding[] {
    return [...this.#all].filter(([{ name }]) => names.includes(name)).map(([, watched]) => watched);
  }
}

function watch(binding: KubernetesBinding, options: UnitBindingsOptions): WatchedBinding {
  const { createMonitor, onSynced, onProblem, onEvent, onSeen, onHeld, onHandover, onSliceListed, onGiven } = options;
  const state = new UnitBinding(binding, {
    onSynced,
    onProblem: (error) => onProblem(binding, error),
    onEvent,
    onSeen: (change) => onSeen(binding, change),
    onHeld,
    onHandover: (slice) => onHandover?.(binding, slice),
    onSliceListed: () => onSliceListed?.(),
    onGiven: (slice) => onGiven?.(binding, slice),
  });
  return { state, monitor: createMonitor(binding, state) };
}

async function follow(watched: readonly WatchedBinding[], signal: AbortSignal): Promise<void> {
  await Promise.all(watched.map(async ({ monitor }) => monitor.run(signal)));
}
