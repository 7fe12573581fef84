import type { AppliedOperation } from '../../effects/apply-operations.ts';
import type { addFinalizer, FinalizedObject } from '../../effects/finalizer.ts';
import type { Hook } from '../../hook/binding.ts';
import type { ReconcileTrigger } from '../../hook/trigger.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Kinds } from '../../kube/kind.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { Run } from '../../run/run.ts';
import type { UnitReconciler } from '../../units/reconcilers.ts';
import type { ToldEvents } from '../results/told-events.ts';
import type { ChildrenDoor, ChildWrite } from './children-door.ts';

export interface ReconcileEffectsOptions {
  readonly access: { readonly client: Pick<KubeClient, 'request'>; readonly kinds: Kinds };
  readonly reconcilerOf: (hook: Hook, trigger: ReconcileTrigger) => UnitReconciler | undefined;
  /** Absent: children are left as they are. */
  readonly children?: ChildrenDoor | undefined;
  readonly journal: RunJournal;
  /** What was told once; absent where no Events are written. */
  readonly told?: ToldEvents | undefined;
  /** The object that the context of a run showed. */
  readonly seen?: ((run: Run, trigger: ReconcileTrigger) => Uint8Array | undefined) | undefined;
}

/** An object as it was when its run began. */
export interface Started {
  readonly index: number;
  readonly trigger: ReconcileTrigger;
  readonly parent: FinalizedObject;
  readonly isFinalizing: boolean;
}

/** One run at work: what is needed to write for its objects. */
export interface Writing extends ReconcileEffectsOptions {
  readonly run: Run;
  readonly signal: AbortSignal;
}

/** What is needed to write for the objects of a run. */
export function writing(run: Run, options: ReconcileEffectsOptions, signal: AbortSignal): Writing {
  return { ...options, run, signal };
}

/** The objects of a run that are there now. */
export function startedOf(run: Run, { reconcilerOf }: ReconcileEffectsOptions): readonly Started[] {
  return run.task.triggers.flatMap((trigger, index): readonly Started[] => {
    if (trigger.type !== 'reconcile') return [];
    const facts = reconcilerOf(run.task.hook, trigger)?.facts(trigger);
    if (facts === undefined) return [];
    return [{ index, trigger, parent: parentOf(trigger, facts.uid), isFinalizing: facts.isDeleting }];
  });
}

/** Whether the object is there, and was not created anew since its run began. */
export function isStillThere(
  { trigger, parent }: Started,
  run: Run,
  { reconcilerOf }: ReconcileEffectsOptions,
): boolean {
  return reconcilerOf(run.task.hook, trigger)?.facts(trigger)?.uid === parent.uid;
}

/** The object of a trigger, for requests. */
export function parentOf({ binding, namespace, name }: ReconcileTrigger, uid: string): FinalizedObject {
  const { apiVersion = 'v1', kind } = binding;
  return { apiVersion, kind, namespace, name, uid };
}

/** The children as the watches show them now, as JSON in UTF-8. */
export function liveOf({ trigger }: Started, { reconcilerOf, run }: Writing): readonly Uint8Array[] {
  return reconcilerOf(run.task.hook, trigger)?.children(trigger) ?? [];
}

/** What requests about finalizers need. */
export function session({ access, signal }: Writing): Parameters<typeof addFinalizer>[2] {
  return { client: access.client, kinds: access.kinds, signal };
}

/** Records the writes of children in the journal of runs. */
export function record(writes: readonly ChildWrite[], { run, journal }: Writing): readonly AppliedOperation[] {
  for (const { operation, applied } of writes) journal.record({ type: 'applied', run, operation, applied });
  return writes.map(({ applied }) => applied);
}
