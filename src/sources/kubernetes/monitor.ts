import { KubeError } from '../../errors.ts';
import type { CompiledFilter } from '../../filter/compiled-filter.ts';
import type { KubernetesBinding } from '../../hook/binding.ts';
import type { SnapshotOperations } from '../../hook/debug-view.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import type { Snapshot, SnapshotItem } from '../../hook/trigger.ts';
import type { Kinds, ResourceKind } from '../../kube/kind.ts';
import type { Placed } from '../../kube/watch/object-index.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { KindPresence } from './kind-presence.ts';
import { MonitorSlices } from './monitor-slices.ts';
import { bindMetrics, type KubernetesMetrics, type MonitorMetrics } from './monitor-metrics.ts';
import { MatchingNamespaces } from './namespaces.ts';
import { createObjectView } from './object-view.ts';
import type { Observation, ObservedEvent } from './observation.ts';
import { Observations, type ObservedTarget } from './observations.ts';
import type { Division } from './own-slices.ts';
import { PersistentProblems } from './persistent-problems.ts';
import { SnapshotCounter } from './snapshot-counter.ts';
import { watchTargets } from './targets.ts';
import { wantedEvents, type EventListener } from './wanted-events.ts';

/**
 * Follows the objects of one kubernetes binding: the source of its snapshot and of its events. `HookUnit` runs it for
 * as long as the hook is loaded, and reads snapshot and status at any time.
 *
 * What is watched follows from two things that may change at any time: the kind, which discovery finds (`KindPresence`),
 * and the namespaces, where the binding selects them by labels (`MatchingNamespaces`). At each change `Observations`
 * gets the new list of targets. Objects that come into sight are Added, and those that go out of sight are Deleted.
 *
 * A monitor becomes synced once, when the kind and the namespaces are known and every observation has listed and
 * filtered its objects. Events before that are dropped, since the Synchronization contains them; every later one is
 * passed to the listener, unless its filterResult is unchanged or `executeHookOnEvent` does not include it. Errors
 * never end a monitor: they are part of its status until the failing part recovers.
 *
 * With `division` it follows the own slices of the objects alone. One that is taken after `synced` is listed by itself,
 * and its objects come in no event; of one that is given, the objects leave the snapshot without an event.
 */
export interface Monitor {
  readonly binding: KubernetesBinding;
  /** Watches until `signal` aborts; called once. */
  run(signal: AbortSignal): Promise<void>;
  /** The objects at this moment, by namespace and name; the same array until something changes. */
  snapshot(): Snapshot;
  /** The objects of one own slice at this moment, by namespace and name. */
  snapshotOf(slice: OwnSlice): Snapshot;
  /** Whether the snapshot shows the objects of an own slice, where it shows any. */
  hasListed(slice: OwnSlice): boolean;
  /** One object of the snapshot; with `slice` as that own slice shows it, which may be another of the same name. */
  item(place: Placed, slice?: OwnSlice): SnapshotItem | undefined;
  /** What happened to the objects, the first list included; nothing before `synced`. */
  operations(): SnapshotOperations;
  status(): MonitorStatus;
}

/** How a monitor does now, for `/readyz`. */
export interface MonitorStatus {
  /** Whether the first list is complete and the snapshot shows it; of an optional kind that is absent there is none. */
  readonly isSynced: boolean;
  /** The API server has no such kind now, so the snapshot is empty; absent until discovery has said so. */
  readonly isMissing?: true;
  /** The kind is missing, discovery is sure of that, and the binding is optional. */
  readonly isAbsent?: true;
  /** The kind is there again, and the snapshot does not show its objects yet. */
  readonly isReturning?: true;
  /** The contact that is longest ago of all its watches; absent while there is no watch, or one had no contact yet. */
  readonly lastContactAtMs?: number | undefined;
  /** Summary of the error that has persisted longest; absent when nothing fails. */
  readonly problem?: string;
}

export interface MonitorDeps {
  readonly hook: string;
  readonly watches: Watches;
  readonly kinds: Kinds;
  /** The binding's filter, compiled. */
  readonly filter?: CompiledFilter;
  /** Absent: all objects are followed. */
  readonly division?: Division | undefined;
  readonly log: Logger;
  readonly metrics: KubernetesMetrics;
  readonly listener: MonitorListener;
}

/** Receives what a monitor reports; events only after `synced`. */
export interface MonitorListener extends EventListener {
  /** The first list is complete, and the snapshot shows it; called once. */
  synced(): void;
  /** The API server has no such kind, and the binding does without it; called each time discovery says so. */
  absent?(): void;
  /** A kind that was missing is there again, and the snapshot shows its objects. */
  returned?(): void;
  /** A list after `synced` is complete: what came and went before it, while nothing was watched, is in no event. */
  listed?(): void;
  /** A slice was taken after `synced`: `sliceListed` says when the snapshot shows it. */
  sliceTaken?(slice: OwnSlice): void;
  /** The snapshot shows the objects of a slice that was taken. */
  sliceListed?(slice: OwnSlice): void;
  /** A slice was given: the snapshot does not show `items` any more. */
  sliceGiven?(slice: OwnSlice, items: Snapshot): void;
  /** Something fails with a new error; it is tried again. After `synced`, transient errors are not reported. */
  problem(error: unknown): void;
}

/** Creates the monitor of `binding`; it sends no request until it runs. */
export function createMonitor(binding: KubernetesBinding, deps: MonitorDeps): Monitor {
  return new BindingMonitor(binding, deps);
}

class BindingMonitor implements Monitor {
  readonly binding: KubernetesBinding;
  readonly #deps: MonitorDeps;
  readonly #metrics: MonitorMetrics;
  readonly #observations: Observations;
  readonly #presence: KindPresence;
  readonly #problems: PersistentProblems;
  readonly #counter = new SnapshotCounter();
  readonly #pass: (event: ObservedEvent) => void;
  /** Absent: all objects are followed. */
  readonly #slices: MonitorSlices | undefined;
  #namespaces: MatchingNamespaces | undefined;
  #isSynced = false;

  constructor(binding: KubernetesBinding, deps: MonitorDeps) {
    this.binding = binding;
    this.#deps = deps;
    this.#metrics = bindMetrics(deps.metrics, deps.hook, binding);
    const log = deps.log.child({ hook: deps.hook, binding: binding.name });
    this.#pass = wantedEvents({ binding, listener: deps.listener, metrics: this.#metrics, log });
    const options = {
      watches: deps.watches,
      keepsObjects: binding.keepFullObjectsInMemory,
      hasFilter: deps.filter !== undefined,
      view: createObjectView({ binding, filter: deps.filter, metrics: this.#metrics, log }),
      metrics: this.#metrics,
    };
    const problems = new PersistentProblems({
      isSynced: () => this.#isSynced,
      onProblem: (error) => deps.listener.problem(error),
    });
    const presence = new KindPresence(binding, deps.kinds, {
      found: () => {
        problems.recovered('kind');
        this.#observe();
      },
      missing: () => this.#kindMissing(),
      failed: (error) => problems.failed('kind', error),
    });
    this.#problems = problems;
    this.#presence = presence;
    this.#observations = new Observations((key, own) => ({
      ...options,
      listener: {
        observed: (events) => this.#observed(events, own),
        listed: () => {
          if (this.#isSynced) deps.listener.listed?.();
        },
        failed: (error) => {
          problems.failed(key, error);
          if (error instanceof KubeError && error.status === 404) presence.recheck();
        },
        recovered: () => problems.recovered(key),
      },
    }));
    const { division } = deps;
    const onRefused = (error: unknown): void => problems.failed('kind', error);
    this.#slices = division && new MonitorSlices({ binding, division, observations: this.#observations, onRefused });
  }

  async run(signal: AbortSignal): Promise<void> {
    const unfollow = this.#deps.division?.slices.follow({
      taken: (slice) => this.#taken(slice),
      given: (slice) => this.#given(slice),
    });
    try {
      await Promise.all([this.#presence.run(signal), this.#resynchronize(signal)]);
    } finally {
      unfollow?.();
      this.#observations.end();
      this.#namespaces?.end();
      this.#metrics.remove();
    }
  }

  snapshot(): Snapshot {
    return this.#observations.snapshot();
  }

  snapshotOf(slice: OwnSlice): Snapshot {
    return this.#observations.itemsOf(slice);
  }

  hasListed(slice: OwnSlice): boolean {
    return this.#presence.isAbsent || this.#slices?.isListed(slice) === true;
  }

  item(place: Placed, slice?: OwnSlice): SnapshotItem | undefined {
    return this.#observations.item(place, slice);
  }

  operations(): SnapshotOperations {
    return this.#counter.operations;
  }

  status(): MonitorStatus {
    const { isMissing, isAbsent, isReturning } = this.#presence;
    const { summary: problem } = this.#problems;
    const contacts = this.#watches().map(({ lastContactAtMs = -Infinity }) => lastContactAtMs);
    const oldest = Math.min(...contacts);
    return {
      isSynced: this.#isSynced || isAbsent,
      ...(isMissing && { isMissing }),
      ...(isAbsent && { isAbsent }),
      ...(isReturning && { isReturning }),
      lastContactAtMs: Number.isFinite(oldest) ? oldest : undefined,
      ...(problem !== undefined && { problem }),
    };
  }

  #watches(): readonly (Observation | MatchingNamespaces)[] {
    const observations = this.#observations.all();
    return this.#namespaces === undefined ? observations : [this.#namespaces, ...observations];
  }

  async #resynchronize(signal: AbortSignal): Promise<void> {
    const { resynchronizationPeriodMs: periodMs } = this.binding;
    if (periodMs === undefined) return;
    while (!signal.aborted) {
      await sleep(periodMs, signal);
      for (const watch of this.#watches()) watch.relist();
    }
  }

  #kindMissing(): void {
    this.#observe();
    if (!this.#presence.isAbsent) return;
    // Those of its watches ended with them.
    this.#problems.clear();
    this.#deps.listener.absent?.();
  }

  /** Watches exactly the targets of the current kind and namespaces; none while there is no kind. */
  #observe(): void {
    const { kind } = this.#presence;
    this.#observations.observe(kind === undefined ? [] : this.#targets(kind));
    this.#checkSynced();
  }

  #targets(kind: ResourceKind): readonly ObservedTarget[] {
    const namespaces = this.#wantedNamespaces(kind);
    const sliced = this.#slices?.targets(kind, namespaces);
    return sliced ?? namespaces.flatMap((namespace) => watchTargets(this.binding, kind, namespace));
  }

  #taken(slice: OwnSlice): void {
    if (this.#isSynced) this.#deps.listener.sliceTaken?.(slice);
    this.#observe();
  }

  #given(slice: OwnSlice): void {
    const items = this.#observations.itemsOf(slice);
    this.#observations.forget(slice);
    this.#slices?.given(slice);
    this.#metrics.snapshotSize(this.#observations.size);
    this.#deps.listener.sliceGiven?.(slice, items);
    // What was not listed may have been of this slice alone.
    this.#checkSynced();
  }

  /** The namespaces to watch now; `undefined` as an element stands for all of them. */
  #wantedNamespaces(kind: ResourceKind): readonly (string | undefined)[] {
    const { namespace } = this.binding;
    if (!kind.isNamespaced || namespace === undefined) return [undefined];
    if (namespace.type === 'names') return namespace.names.length === 0 ? [undefined] : [...new Set(namespace.names)];
    this.#namespaces ??= new MatchingNamespaces(this.#deps.watches, namespace.labelSelector, {
      changed: () => this.#observe(),
      failed: (error) => this.#problems.failed('namespaces', error),
      recovered: () => this.#problems.recovered('namespaces'),
    });
    return this.#namespaces.names;
  }

  #observed(events: Iterable<ObservedEvent>, own: OwnSlice | undefined): void {
    this.#observations.changed();
    this.#metrics.snapshotSize(this.#observations.size);
    // Events before the sync are part of the Synchronization.
    if (this.#isSynced) this.#emitAll(own === undefined ? events : (this.#slices?.eventsOf(own, events) ?? []));
    this.#checkSynced();
  }

  #emitAll(events: Iterable<ObservedEvent>): void {
    let isCleaned = false;
    for (const event of events) {
      this.#counter.note(event.watchEvent);
      isCleaned ||= event.watchEvent === 'Deleted' && this.#observations.size === 0;
      this.#pass(event);
    }
    if (isCleaned) this.#counter.noteCleaned();
  }

  #checkSynced(): void {
    const { isReturning } = this.#presence;
    if (this.#isSynced) this.#checkSlices();
    if (this.#isSynced && !isReturning) return;
    if (!this.#isWatching || !this.#observations.isSynced) return;
    if (!this.#isSynced) this.#firstSynced();
    if (!isReturning) return;
    this.#presence.returned();
    this.#deps.listener.returned?.();
  }

  /** Whether it is known what to watch. */
  get #isWatching(): boolean {
    if (this.#presence.kind === undefined || this.#slices?.isRefused === true) return false;
    return this.#namespaces?.isSynced !== false;
  }

  #firstSynced(): void {
    this.#isSynced = true;
    // The slices that are taken by now are listed with all.
    this.#slices?.newlyListed();
    this.#counter.noteListed(this.#observations.size);
    this.#deps.listener.synced();
  }

  #checkSlices(): void {
    if (this.#slices === undefined || !this.#isWatching) return;
    for (const slice of this.#slices.newlyListed()) {
      this.#counter.noteListed(this.#observations.itemsOf(slice).length);
      this.#deps.listener.sliceListed?.(slice);
    }
  }
}
