import { UsageError } from '../../errors.ts';
import type { Filters } from '../../filter/filters.ts';
import type { Hook, ReconcileBinding } from '../../hook/binding.ts';
import { reconcileMark } from '../../hook/reconcile-mark.ts';
import { objectQueueName } from '../../hook/task.ts';
import type { QueuedTrigger } from '../../hook/trigger.ts';
import { aborted } from '../../lib/aborted.ts';
import { Bell } from '../../lib/bell.ts';
import { fieldsOfReconcile, type ReconcileFields } from '../../sources/kubernetes/divisions.ts';
import type { MonitorListener } from '../../sources/kubernetes/monitor.ts';
import type { Division, OwnSlices } from '../../sources/kubernetes/own-slices.ts';
import { parentPart, type Part } from '../../sources/reconcile/parts.ts';
import type { PartMonitor } from '../../sources/reconcile/followed-kinds.ts';
import { Reconciler, type ReconcilerOptions } from '../../sources/reconcile/reconciler.ts';
import { createContestedReconciler } from './contested-reconciler.ts';
import type { createParentRelease } from './release-parent.ts';
import type { CreateReconciler } from '../../units/reconcilers.ts';

export interface ReconcilerFactoryOptions {
  readonly filters: Pick<Filters, 'compile'>;
  readonly emit: (hook: Hook, trigger: QueuedTrigger) => void;
  /** Takes the finalizer off an object that is not selected any more; never rejects. */
  readonly release: ReturnType<typeof createParentRelease>;
  /** The annotation `hooklet.dev/pause` of an object came or went. */
  readonly onPause?: PauseListener;
  /** Absent: all objects are followed. */
  readonly shards?: { readonly slices: OwnSlices } | undefined;
  readonly createMonitor: (place: PartPlace, listener: MonitorListener) => PartMonitor;
}

/** What a monitor of a reconcile binding follows. */
export interface PartPlace {
  readonly hook: Hook;
  readonly part: Part;
  /** Absent: all objects are followed. */
  readonly division: Division | undefined;
}

/** Learns of objects of a reconcile binding whether they are paused. */
export type PauseListener = (
  hook: Hook,
  binding: ReconcileBinding,
  object: { readonly namespace: string; readonly name: string; readonly isPaused: boolean },
) => void;

/**
 * Creates the reconcilers of all hooks. Two hooks whose bindings have the same mark would take each other's children
 * for their own, so the second of them waits until the first is gone: its hook is not ready, and says why.
 */
export function createReconcilerFactory(options: ReconcilerFactoryOptions): (hook: Hook) => CreateReconciler {
  /** The hooks at work, by mark. */
  const owners = new Map<string, Hook>();
  /** Those that wait for another hook, by mark. */
  const waiting = new Map<string, Set<Bell>>();
  /** Bindings that were at work before, by hook and mark. */
  const known = new Set<string>();
  const free = (hook: Hook, mark: string): void => {
    if (owners.get(mark) !== hook) return;
    owners.delete(mark);
    for (const bell of waiting.get(mark) ?? []) bell.ring();
  };
  return (hook) => (binding, listener) => {
    const mark = reconcileMark(binding);
    const create = (): Reconciler => {
      owners.set(mark, hook);
      const key = `${hook.name}\0${mark}`;
      const startReason = known.has(key) && binding.onHookChange ? 'hook-changed' : 'start';
      known.add(key);
      return new Reconciler(binding, {
        ...listener,
        ...doorsOf(hook, binding, options),
        startReason,
        onEnded: () => free(hook, mark),
      });
    };
    const owner = (): string | undefined => {
      const name = owners.get(mark)?.name;
      return name === hook.name ? undefined : name;
    };
    if (owner() === undefined) return create();
    const freed = new Bell();
    waiting.set(mark, (waiting.get(mark) ?? new Set<Bell>()).add(freed));
    const { binding: shown } = parentPart(binding, (filter) => options.filters.compile(filter));
    const onProblem = (message: string): void => listener.onProblem(shown, new UsageError(message));
    const onEnd = (): void => void waiting.get(mark)?.delete(freed);
    return createContestedReconciler({ binding, shown, owner, freed, create, onProblem, onEnd });
  };
}

function doorsOf(
  hook: Hook,
  binding: ReconcileBinding,
  { filters, createMonitor, emit, release, onPause, shards }: ReconcilerFactoryOptions,
): Omit<ReconcilerOptions, 'onSynced' | 'onProblem' | 'startReason' | 'onEnded'> {
  const queue = objectQueueName(hook, binding);
  const fields = shards && fieldsOfReconcile(hook, binding);
  return {
    compile: (filter) => filters.compile(filter),
    slices: fields && shards?.slices,
    createMonitor: ({ binding: shown, ...part }, listener) => {
      const division = shards && fields && { slices: shards.slices, fieldOf: fieldOfPart(part, fields) };
      const place = { hook, part: { ...part, binding: { ...shown, queue } }, division };
      const monitor = createMonitor(place, listener);
      return fields === undefined || part.what === 'parents' ? monitor : afterParents(monitor, fields);
    },
    emit: (trigger) => emit(hook, trigger),
    release: async (parent, signal) => release(binding, parent, signal),
    onPause: ({ namespace, name }, isPaused) => onPause?.(hook, binding, { namespace, name, isPaused }),
    now: Date.now,
  };
}

function fieldOfPart({ what }: Pick<Part, 'what'>, { parents, part }: ReconcileFields): Division['fieldOf'] {
  return what === 'parents' ? parents : part(what === 'beside');
}

/** The monitor of a part, which begins when it is known how the parents are divided. */
function afterParents(monitor: PartMonitor, { known }: ReconcileFields): PartMonitor {
  return {
    run: async (signal) => {
      await Promise.race([known, aborted(signal)]);
      if (!signal.aborted) await monitor.run(signal);
    },
    snapshot: () => monitor.snapshot(),
    snapshotOf: (slice) => monitor.snapshotOf(slice),
    hasListed: (slice) => monitor.hasListed(slice),
    item: (place, slice) => monitor.item(place, slice),
    status: () => monitor.status(),
  };
}
