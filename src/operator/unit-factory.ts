import type { CompiledFilter } from '../filter/compiled-filter.ts';
import type { Filters } from '../filter/filters.ts';
import type { Binding, Hook, KubernetesBinding } from '../hook/binding.ts';
import { objectQueueName, type Task } from '../hook/task.ts';
import type { EventTrigger, QueuedTrigger } from '../hook/trigger.ts';
import type { Logger } from '../log.ts';
import { initKubernetesBinding, initRun, type Metrics } from '../metrics.ts';
import { fieldOfBinding } from '../sources/kubernetes/divisions.ts';
import { createMonitor, type MonitorListener } from '../sources/kubernetes/monitor.ts';
import type { Division, OwnSlices } from '../sources/kubernetes/own-slices.ts';
import type { ObservedChange } from '../sources/kubernetes/wanted-events.ts';
import type { PartMonitor } from '../sources/reconcile/followed-kinds.ts';
import { HookSchedules, type HookSchedulesOptions } from '../sources/schedule/hook-schedules.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { HookUnit } from '../units/hook-unit.ts';
import type { UnitMonitor } from '../units/unit-bindings.ts';
import { createParentRelease } from './reconcile/release-parent.ts';
import { createReconcilerFactory, type PartPlace, type PauseListener } from './reconcile/reconciler-factory.ts';
import type { Shards } from './shards/shards.ts';

export interface UnitFactoryOptions {
  readonly access: ClusterAccess;
  readonly filters: Pick<Filters, 'compile'>;
  /** Absent: all objects are followed. */
  readonly shards?: Pick<Shards, 'slices' | 'leading'> | undefined;
  /** Makes a trigger of a hook a task in its queue. */
  readonly emit: (hook: Hook, trigger: QueuedTrigger) => void;
  /** An object changed, and its binding wants no event of that. */
  readonly seen?: (hook: Hook, binding: KubernetesBinding, change: ObservedChange) => void;
  /** Called with each event when it is seen. */
  readonly onEvent?: ((trigger: EventTrigger) => void) | undefined;
  readonly onPause?: PauseListener;
  /** Puts a task into the queue `main` again. */
  readonly requeue: (task: Task) => void;
  readonly schedules: Pick<HookSchedulesOptions, 'recordsOf' | 'me' | 'observer' | 'scheduledRuns' | 'replace'>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * Returns a function that creates the unit of a loaded hook, with its monitors and schedules, and its metrics at zero.
 */
export function createUnitFactory(options: UnitFactoryOptions): (hook: Hook) => HookUnit {
  const { emit, requeue, metrics } = options;
  const reconcilers = createReconcilerFactory({
    ...options,
    release: createParentRelease(options.access, options.log),
    createMonitor: (place, listener) => createPartMonitor(options, place, listener),
  });
  return (hook) => {
    const log = options.log.child({ hook: hook.name });
    const startedAt = performance.now();
    initMetrics(metrics, hook);
    return new HookUnit(hook, {
      emit: (trigger) => emit(hook, trigger),
      requeue,
      now: Date.now,
      leading: options.shards?.leading,
      createMonitor: (binding, listener) => createHookMonitor(options, { hook, binding, listener }),
      createReconciler: reconcilers(hook),
      createSchedules: (bindings, emitTick) =>
        new HookSchedules({ ...options.schedules, hook: hook.name, bindings, now: Date.now, emit: emitTick, log }),
      onEnabled: () => {
        metrics.enableBindingsSuccess.set({ hook: hook.name }, 1);
        metrics.enableBindingsSeconds.set({ hook: hook.name }, (performance.now() - startedAt) / 1000);
        log.debug({}, 'hook enabled');
      },
      onSeen: (binding, change) => options.seen?.(hook, binding, change),
      onEventHeld: ({ binding, watchEvent, item: { namespace, name } }, reason) =>
        log.debug({ binding: binding.name, event: watchEvent, namespace, name, reason }, 'event does not run the hook'),
      onProblem: (binding, error) => {
        metrics.enableBindingsErrors.inc({ hook: hook.name });
        log.warn({ binding: binding.name, err: error }, 'binding waits for the cluster, it is tried again');
      },
    });
  };
}

interface MonitorPlace {
  readonly hook: Hook;
  readonly binding: KubernetesBinding;
  readonly listener: MonitorListener;
}

function createHookMonitor(options: UnitFactoryOptions, place: MonitorPlace): UnitMonitor {
  const { access, filters, metrics, log, onEvent } = options;
  const { hook, binding } = place;
  const listener = onEvent === undefined ? place.listener : noting(place.listener, onEvent);
  const filter: CompiledFilter | undefined = binding.filter === undefined ? undefined : filters.compile(binding.filter);
  return createMonitor(binding, {
    listener,
    ...access,
    hook: hook.name,
    ...(filter === undefined ? {} : { filter }),
    division: options.shards && divisionOf(options.shards.slices, fieldOfBinding(hook, binding)),
    log,
    metrics,
  });
}

function divisionOf(slices: OwnSlices, fieldOf: Division['fieldOf'] | undefined): Division | undefined {
  return fieldOf && { slices, fieldOf };
}

function noting(listener: MonitorListener, onEvent: (trigger: EventTrigger) => void): MonitorListener {
  return {
    synced: () => listener.synced(),
    event: (trigger) => {
      onEvent(trigger);
      listener.event(trigger);
    },
    seen: (change) => listener.seen?.(change),
    sliceTaken: (slice) => listener.sliceTaken?.(slice),
    sliceListed: (slice) => listener.sliceListed?.(slice),
    sliceGiven: (slice, items) => listener.sliceGiven?.(slice, items),
    problem: (error) => listener.problem(error),
  };
}

function createPartMonitor(
  { access, metrics, log }: UnitFactoryOptions,
  { hook, part: { binding, filter }, division }: PartPlace,
  listener: MonitorListener,
): PartMonitor {
  initKubernetesBinding(metrics, { hook: hook.name, binding: binding.name, queue: binding.queue });
  return createMonitor(binding, { listener, ...access, hook: hook.name, filter, division, log, metrics });
}

function initMetrics(metrics: Metrics, hook: Hook): void {
  metrics.pausedTasks.of({ hook: hook.name });
  for (const binding of hook.bindings) {
    const [queue, ...more] = queuesOf(hook, binding);
    const labels = { hook: hook.name, binding: binding.type === 'onStartup' ? '' : binding.name, queue };
    metrics.deadLetters.of({ hook: hook.name, binding: labels.binding });
    for (const name of [queue, ...more]) {
      initRun(metrics, { ...labels, queue: binding.type === 'onStartup' ? '' : name });
      if (name !== '') metrics.tasksQueueLength.of({ queue: name });
    }
    if (binding.type === 'kubernetes') initKubernetesBinding(metrics, labels);
  }
}

/** The binding's own queue, and `main` if its Synchronization runs there. */
function queuesOf(hook: Hook, binding: Binding): readonly [string, ...string[]] {
  if (binding.type === 'onStartup') return ['main'];
  if (binding.type === 'reconcile') return [objectQueueName(hook, binding)];
  if (binding.type === 'schedule' || binding.type === 'http') return [binding.queue];
  // Answers are given outside the queues.
  if (binding.type !== 'kubernetes') return [''];
  const queue = binding.concurrency === 'byObject' ? objectQueueName(hook, binding) : binding.queue;
  return binding.executeHookOnSynchronization && queue !== 'main' ? [queue, 'main'] : [queue];
}
