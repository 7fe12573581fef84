import { KubeError, summaryOf } from '../../errors.ts';
import type { CompiledFilter } from '../../filter/compiled-filter.ts';
import type { KubernetesBinding } from '../../hook/binding.ts';
import type { SnapshotOperations } from '../../hook/debug-view.ts';
import type { EventTrigger, Snapshot, SnapshotItem } from '../../hook/trigger.ts';
import type { Kinds, ResourceKind } from '../../kube/kind.ts';
import type { Placed } from '../../kube/watch/object-index.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import { sleep } from '../../lib/sleep.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Logger } from '../../log.ts';
import { RecheckSignal, followKind, type FollowKindOptions } from './follow-kind.ts';
import { bindMetrics, type KubernetesMetrics, type MonitorMetrics } from './monitor-metrics.ts';
import { MatchingNamespaces } from './namespaces.ts';
import { createObjectView } from './object-view.ts';
import type { Observation, ObservedEvent } from './observation.ts';
import { Observations } from './observations.ts';
import { SnapshotCounter } from './snapshot-counter.ts';
import { watchTargets } from './targets.ts';

/**
 * Follows the objects of one kubernetes binding: the source of its snapshot and of its events. `HookUnit` runs it for
 * as long as the hook is loaded, and reads snapshot and status at any time.
 *
 * What is watched follows from two things that may change at any time: the kind, which discovery finds (`followKind`),
 * and the namespaces, where the binding selects them by labels (`MatchingNamespaces`). At each change `Observations`
 * gets the new list of targets. Objects that come into sight are Added, and those that go out of sight are Deleted.
 *
 * A monitor becomes synced once, when the kind and the namespaces are known and every observation has listed and
 * filtered its objects. Events before that are dropped, since the Synchronization contains them; every later one is
 * passed to the listener, unless its filterResult is unchanged or `executeHookOnEvent` does not include it. Errors
 * never end a monitor: they are part of its status until the failing part recovers.
 */
export interface Monitor {
  readonly binding: KubernetesBinding;
  /** Watches until `signal` aborts; called once. */
  run(signal: AbortSignal): Promise<void>;
  /** The objects at this moment, by namespace and name; the same array until something changes. */
  snapshot(): Snapshot;
  /** One object of the snapshot. */
  item(place: Placed): SnapshotItem | undefined;
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
  readonly log: Logger;
  readonly metrics: KubernetesMetrics;
  readonly listener: MonitorListener;
}

/** Receives what a monitor reports. */
export interface MonitorListener {
  /** The first list is complete, and the snapshot shows it; called once. */
  synced(): void;
  /** The API server has no such kind, and the binding does without it; called each time discovery says so. */
  absent?(): void;
  /** A kind that was missing is there again, and the snapshot shows its objects. */
  returned?(): void;
  /** A list after `synced` is complete: what came and went before it, while nothing was watched, is in no event. */
  listed?(): void;
  /** An event after `synced` that the binding wants. */
  event(trigger: EventTrigger): void;
  /** An object changed after `synced`, and the binding wants no event of that. */
  seen?(change: ObservedChange): void;
  /** Something fails with a new error; it is tried again. After `synced`, transient errors are not reported. */
  problem(error: unknown): void;
}

/** What happened to an object, and how the binding sees it after that, or saw it last. */
export type ObservedChange = Pick<EventTrigger, 'watchEvent' | 'item'>;

/** Creates the monitor of `binding`; it sends no request until it runs. */
export function createMonitor(binding: KubernetesBinding, deps: MonitorDeps): Monitor {
  return new BindingMonitor(binding, deps);
}

class BindingMonitor implements Monitor {
  readonly binding: KubernetesBinding;
  readonly #deps: MonitorDeps;
  readonly #metrics: MonitorMetrics;
  readonly #observations: Observations;
  readonly #recheck = new RecheckSignal();
  readonly #counter = new SnapshotCounter();
  readonly #log: Logger;
  /** Errors that persist, by what fails: `kind`, `namespaces`, or the key of an observation. */
  readonly #problems = new Map<string, unknown>();
  #namespaces: MatchingNamespaces | undefined;
  #kind: ResourceKind | undefined;
  #isSynced = false;
  #isMissing = false;
  #isAbsent = false;
  #isReturning = false;

  constructor(binding: KubernetesBinding, deps: MonitorDeps) {
    this.binding = binding;
    this.#deps = deps;
    this.#metrics = bindMetrics(deps.metrics, deps.hook, binding);
    const log = deps.log.child({ hook: deps.hook, binding: binding.name });
    this.#log = log;
    const options = {
      watches: deps.watches,
      keepsObjects: binding.keepFullObjectsInMemory,
      hasFilter: deps.filter !== undefined,
      view: createObjectView({ binding, filter: deps.filter, metrics: this.#metrics, log }),
      metrics: this.#metrics,
    };
    this.#observations = new Observations((key) => ({
      ...options,
      listener: {
        observed: (events) => {
          this.#observed(events);
        },
        listed: () => {
          if (this.#isSynced) this.#deps.listener.listed?.();
        },
        failed: (error) => {
          this.#failed(key, error);
          if (error instanceof KubeError && error.status === 404) this.#recheck.raise();
        },
        recovered: () => {
          this.#recovered(key);
        },
      },
    }));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { kind, apiVersion, isOptional } = this.binding;
    const options: FollowKindOptions = {
      kinds: this.#deps.kinds,
      reference: { kind, ...(apiVersion === undefined ? {} : { apiVersion }) },
      recheck: this.#recheck,
      isOptional,
      onFound: (found) => {
        this.#recovered('kind');
        this.#kind = found;
        this.#isReturning ||= this.#isMissing;
        this.#isMissing = false;
        this.#isAbsent = false;
        this.#observe();
      },
      onMissing: ({ isSure }) => {
        this.#kind = undefined;
        this.#isMissing = true;
        this.#isReturning = false;
        this.#isAbsent = isOptional === true && isSure;
        this.#observe();
        if (!this.#isAbsent) return;
        // Those of its watches ended with them.
        this.#problems.clear();
        this.#deps.listener.absent?.();
      },
      onFailed: (error) => {
        if (!this.#isAbsent) this.#failed('kind', error);
      },
    };
    try {
      await Promise.all([followKind(options, signal), this.#resynchronize(signal)]);
    } finally {
      this.#observations.end();
      this.#namespaces?.end();
      this.#metrics.remove();
    }
  }

  snapshot(): Snapshot {
    return this.#observations.snapshot();
  }

  item(place: Placed): SnapshotItem | undefined {
    return this.#observations.item(place);
  }

  operations(): SnapshotOperations {
    return this.#counter.operations;
  }

  status(): MonitorStatus {
    const [problem] = this.#problems.values();
    const contacts = this.#watches().map(({ lastContactAtMs = -Infinity }) => lastContactAtMs);
    const oldest = Math.min(...contacts);
    return {
      isSynced: this.#isSynced || this.#isAbsent,
      ...(this.#isMissing && { isMissing: true as const }),
      ...(this.#isAbsent && { isAbsent: true as const }),
      ...(this.#isReturning && { isReturning: true as const }),
      lastContactAtMs: Number.isFinite(oldest) ? oldest : undefined,
      ...(problem === undefined ? {} : { problem: summaryOf(problem) }),
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

  /** Watches exactly the targets of the current kind and namespaces; none while there is no kind. */
  #observe(): void {
    const kind = this.#kind;
    const namespaces = kind === undefined ? [] : this.#wantedNamespaces(kind);
    const targets = namespaces.flatMap((namespace) =>
      kind === undefined ? [] : watchTargets(this.binding, kind, namespace),
    );
    this.#observations.observe(targets);
    this.#checkSynced();
  }

  /** The namespaces to watch now; `undefined` as an element stands for all of them. */
  #wantedNamespaces(kind: ResourceKind): readonly (string | undefined)[] {
    const { namespace } = this.binding;
    if (!kind.isNamespaced || namespace === undefined) return [undefined];
    if (namespace.type === 'names') return namespace.names.length === 0 ? [undefined] : [...new Set(namespace.names)];
    this.#namespaces ??= new MatchingNamespaces(this.#deps.watches, namespace.labelSelector, {
      changed: () => {
        this.#observe();
      },
      failed: (error) => {
        this.#failed('namespaces', error);
      },
      recovered: () => {
        this.#recovered('namespaces');
      },
    });
    return this.#namespaces.names;
  }

  #observed(events: Iterable<ObservedEvent>): void {
    this.#observations.changed();
    this.#metrics.snapshotSize(this.#observations.size);
    // Events before the sync are part of the Synchronization.
    if (this.#isSynced) this.#emitAll(events);
    this.#checkSynced();
  }

  #emitAll(events: Iterable<ObservedEvent>): void {
    let isCleaned = false;
    for (const event of events) {
      this.#counter.note(event.watchEvent);
      isCleaned ||= event.watchEvent === 'Deleted' && this.#observations.size === 0;
      this.#emit(event);
    }
    if (isCleaned) this.#counter.noteCleaned();
  }

  #emit({ isSame, ...event }: ObservedEvent): void {
    const isWanted = this.binding.executeHookOnEvent.includes(event.watchEvent);
    if (isSame || !isWanted) {
      this.#metrics.suppressed();
      const { namespace, name } = event.item;
      const reason = isWanted ? 'its filterResult is unchanged' : 'executeHookOnEvent does not include it';
      this.#log.debug({ event: event.watchEvent, namespace, name, reason }, 'event does not run the hook');
      this.#deps.listener.seen?.(event);
      return;
    }
    this.#deps.listener.event({ type: 'event', binding: this.binding, ...event });
  }

  #checkSynced(): void {
    if (this.#isSynced && !this.#isReturning) return;
    if (this.#kind === undefined || this.#namespaces?.isSynced === false || !this.#observations.isSynced) return;
    if (!this.#isSynced) {
      this.#isSynced = true;
      this.#counter.noteListed(this.#observations.size);
      this.#deps.listener.synced();
    }
    if (!this.#isReturning) return;
    this.#isReturning = false;
    this.#deps.listener.returned?.();
  }

  #failed(what: string, error: unknown): void {
    const known = this.#problems.get(what);
    this.#problems.set(what, error);
    if (known !== undefined && messageOf(known) === messageOf(error)) return;
    // After the sync, the watch logs a transient error and recovers from it.
    if (!this.#isSynced || !isTransient(error)) this.#deps.listener.problem(error);
  }

  #recovered(what: string): void {
    this.#problems.delete(what);
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof KubeError && ([0, 410, 429].includes(error.status) || error.status >= 500);
}
