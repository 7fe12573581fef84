import { UsageError } from '../errors.ts';
import type { Filters } from '../filter/filters.ts';
import type { Hook, ReconcileBinding } from '../hook/binding.ts';
import { reconcileMark } from '../hook/reconcile-mark.ts';
import { objectQueueName } from '../hook/task.ts';
import type { QueuedTrigger } from '../hook/trigger.ts';
import { aborted } from '../lib/aborted.ts';
import type { MonitorListener, MonitorStatus } from '../sources/kubernetes/monitor.ts';
import { parentPart, type Part } from '../sources/reconcile/parts.ts';
import { Reconciler, type PartMonitor, type ReconcilerOptions } from '../sources/reconcile/reconciler.ts';
import type { createParentRelease } from './release-parent.ts';
import type { CreateReconciler, UnitReconciler } from '../units/reconcilers.ts';

export interface ReconcilerFactoryOptions {
  readonly filters: Pick<Filters, 'compile'>;
  readonly emit: (hook: Hook, trigger: QueuedTrigger) => void;
  /** Takes the finalizer off an object that is not selected any more; never rejects. */
  readonly release: ReturnType<typeof createParentRelease>;
  /** The annotation `hooklet.dev/pause` of an object came or went. */
  readonly onPause?: PauseListener;
  readonly createMonitor: (hook: Hook, part: Part, listener: MonitorListener) => PartMonitor;
}

/** Learns of objects of a reconcile binding whether they are paused. */
export type PauseListener = (
  hook: Hook,
  binding: ReconcileBinding,
  object: { readonly namespace: string; readonly name: string; readonly isPaused: boolean },
) => void;

/**
 * Creates the reconcilers of all hooks. Two hooks whose bindings have the same mark would take each other's children
 * for their own, so the second of them does not work: its hook is not ready, and says why.
 */
export function createReconcilerFactory(options: ReconcilerFactoryOptions): (hook: Hook) => CreateReconciler {
  /** The hooks at work, by mark. */
  const owners = new Map<string, Hook>();
  /** Bindings that were at work before, by hook and mark. */
  const known = new Set<string>();
  return (hook) => (binding, listener) => {
    const mark = reconcileMark(binding);
    const owner = owners.get(mark);
    if (owner !== undefined && owner.name !== hook.name)
      return refused(binding, { ...options, ...listener }, owner.name);
    owners.set(mark, hook);
    const key = `${hook.name}\0${mark}`;
    const isChanged = known.has(key);
    known.add(key);
    const queue = objectQueueName(hook, binding);
    return new Reconciler(binding, {
      ...listener,
      compile: (filter) => options.filters.compile(filter),
      createMonitor: (part, monitorListener) =>
        options.createMonitor(hook, { ...part, binding: { ...part.binding, queue } }, monitorListener),
      emit: (trigger) => options.emit(hook, trigger),
      release: async (parent, signal) => options.release(binding, parent, signal),
      onPause: ({ namespace, name }, isPaused) => options.onPause?.(hook, binding, { namespace, name, isPaused }),
      startReason: isChanged && binding.onHookChange ? 'hook-changed' : 'start',
      now: Date.now,
      onEnded: () => {
        if (owners.get(mark) === hook) owners.delete(mark);
      },
    });
  };
}

function refused(
  binding: ReconcileBinding,
  { filters, onProblem }: Pick<ReconcilerFactoryOptions, 'filters'> & Pick<ReconcilerOptions, 'onProblem'>,
  owner: string,
): UnitReconciler {
  const { binding: shown } = parentPart(binding, (filter) => filters.compile(filter));
  const problem = `hook ${owner} has a reconcile binding ${binding.name} for ${binding.kind}, give this one another name`;
  const status: MonitorStatus = { isSynced: false, problem };
  return {
    binding,
    run: async (signal) => {
      // Hooks after it must not wait for it.
      onProblem(shown, new UsageError(problem));
      await aborted(signal);
    },
    isSynced: false,
    statuses: () => [[shown, status]],
    enable: () => {},
    hold: () => true,
    isMoot: () => true,
    facts: () => undefined,
    view: () => undefined,
    children: () => [],
    giveUp: () => {},
    rest: () => {},
  };
}
