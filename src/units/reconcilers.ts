import type { Hook, KubernetesBinding, ReconcileBinding } from '../hook/binding.ts';
import type { OwnSlice } from '../hook/shard.ts';
import type { Task } from '../hook/task.ts';
import type { ReconcileTrigger, Trigger } from '../hook/trigger.ts';
import type { MonitorStatus } from '../sources/kubernetes/monitor.ts';
import type { Reconciler, ReconcilerOptions } from '../sources/reconcile/reconciler.ts';

/** The part of a reconciler that a unit uses. */
export type UnitReconciler = Pick<
  Reconciler,
  | 'binding'
  | 'run'
  | 'isSynced'
  | 'statuses'
  | 'enable'
  | 'hold'
  | 'isMoot'
  | 'facts'
  | 'view'
  | 'letGo'
  | 'shows'
  | 'children'
  | 'childLists'
  | 'made'
  | 'giveUp'
  | 'rest'
  | 'lookAgain'
  | 'checkSlices'
  | 'quiet'
>;

/** Creates the reconciler of a binding; it sends no request until it runs. */
export type CreateReconciler = (
  binding: ReconcileBinding,
  options: Pick<ReconcilerOptions, 'onSynced' | 'onProblem' | 'hasListedBeside'>,
) => UnitReconciler;

export interface ReconcilersOptions {
  readonly create: CreateReconciler;
  /** One more of them has its first lists. */
  readonly onSynced: () => void;
  readonly onProblem: (binding: KubernetesBinding, error: unknown) => void;
  /** Whether the snapshots that the runs of a binding show beside its objects have listed a slice. */
  readonly hasListedBeside: (binding: ReconcileBinding, slice: OwnSlice) => boolean;
}

/** The reconcile bindings of a hook at work. */
export class Reconcilers {
  readonly #all: ReadonlyMap<ReconcileBinding, UnitReconciler>;

  constructor({ bindings }: Hook, { create, hasListedBeside, ...options }: ReconcilersOptions) {
    const own = bindings.filter((binding) => binding.type === 'reconcile');
    this.#all = new Map(
      own.map((binding) => {
        const beside = (slice: OwnSlice): boolean => hasListedBeside(binding, slice);
        return [binding, create(binding, { ...options, hasListedBeside: beside })];
      }),
    );
  }

  get isSynced(): boolean {
    return [...this.#all.values()].every(({ isSynced }) => isSynced);
  }

  of({ binding }: ReconcileTrigger): UnitReconciler | undefined {
    return this.#all.get(binding);
  }

  named(name: string): UnitReconciler | undefined {
    return [...this.#all.values()].find(({ binding }) => binding.name === name);
  }

  statuses(): readonly (readonly [KubernetesBinding, MonitorStatus])[] {
    return [...this.#all.values()].flatMap((reconciler) => reconciler.statuses());
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from(this.#all.values(), async (reconciler) => reconciler.run(signal)));
  }

  enable(): void {
    for (const reconciler of this.#all.values()) reconciler.enable();
  }

  /** One more snapshot of the hook shows a slice. */
  checkSlices(): void {
    for (const reconciler of this.#all.values()) reconciler.checkSlices();
  }

  /** Resolves when nothing is done any more for parents of slices that were given; when `signal` aborts, it is ended. */
  async quiet(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from(this.#all.values(), async (reconciler) => reconciler.quiet(signal)));
  }

  /** Looks at one parent again, or at all; without `binding` in all bindings. */
  lookAgain(binding?: string, place?: Pick<ReconcileTrigger, 'namespace' | 'name'>): number {
    const meant = [...this.#all.values()].filter((one) => binding === undefined || one.binding.name === binding);
    return meant.reduce((sum, reconciler) => sum + reconciler.lookAgain(place), 0);
  }

  /** Takes a task whose binding does not know the whole now; returns whether it took it. */
  hold({ triggers }: Task): boolean {
    const own = triggers.filter((trigger) => trigger.type === 'reconcile');
    const held = own.map((trigger) => this.of(trigger)?.hold(trigger) === true);
    return held.length > 0 && held.every(Boolean);
  }

  /** Whether a trigger is about an object that is gone. */
  isMoot(trigger: Trigger): boolean {
    return trigger.type === 'reconcile' && this.of(trigger)?.isMoot(trigger) === true;
  }

  /** The objects of a task are given up until they change. */
  giveUp({ triggers }: Task): void {
    for (const trigger of triggers) if (trigger.type === 'reconcile') this.of(trigger)?.giveUp(trigger);
  }
}
