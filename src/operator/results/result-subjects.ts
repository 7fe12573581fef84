import type { ReconcileBinding } from '../../hook/binding.ts';
import { compactGroups, groupOf } from '../../hook/combine.ts';
import type { ReconcileTrigger, Trigger } from '../../hook/trigger.ts';
import type { Kinds, ResourceKind } from '../../kube/kind.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Run } from '../../run/run.ts';

/** The object of a context, as the run saw it. */
export interface ResultSubject {
  /** The same for all contexts of one object. */
  readonly key: string;
  readonly kind: ResourceKind;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly isDeleted: boolean;
  /** Its JSON; absent where the run did not keep it. */
  readonly bytes: Uint8Array | undefined;
  /** The reconcile binding whose object it is. */
  readonly binding?: ReconcileBinding;
  /** Whether `bytes` were the newest state when the run began. */
  readonly isCurrent: boolean;
}

export interface SubjectsOptions {
  readonly kinds: Kinds;
  /** The object that a Reconcile context showed; undefined where it is not known any more. */
  readonly seen?: ((run: Run, trigger: ReconcileTrigger) => Uint8Array | undefined) | undefined;
}

/**
 * The object of each context of a run, in the order of the contexts; undefined for a context without one: a schedule,
 * onStartup, a Synchronization, a group. Rejects when the kind of one is not known.
 */
export async function subjectsOf(
  run: Run,
  options: SubjectsOptions,
  signal: AbortSignal,
): Promise<readonly (ResultSubject | undefined)[]> {
  const kinds = new Map<Trigger['binding'], ResourceKind>();
  const subjects: (ResultSubject | undefined)[] = [];
  for (const trigger of compactGroups(run.task.triggers)) {
    const place = placeOf(trigger, run, options);
    if (place === undefined) {
      subjects.push(undefined);
      continue;
    }
    const { reference, ...rest } = place;
    const kind = kinds.get(trigger.binding) ?? (await options.kinds.resolve(reference, signal));
    kinds.set(trigger.binding, kind);
    const key = JSON.stringify([kind.group, kind.plural, rest.namespace, rest.name]);
    subjects.push({ key, kind, ...rest });
  }
  return subjects;
}

interface Place extends Pick<ResultSubject, 'namespace' | 'name' | 'isDeleted' | 'bytes' | 'isCurrent' | 'binding'> {
  readonly reference: { readonly kind: string; readonly apiVersion?: string };
}

function placeOf(trigger: Trigger, run: Run, { seen }: SubjectsOptions): Place | undefined {
  switch (trigger.type) {
    case 'event': {
      if (groupOf(trigger) !== undefined) return undefined;
      const { namespace, name, object: bytes } = trigger.item;
      const isDeleted = trigger.watchEvent === 'Deleted';
      return { reference: referenceOf(trigger.binding), namespace, name, isDeleted, bytes, isCurrent: false };
    }
    case 'reconcile': {
      const { binding, namespace, name } = trigger;
      const bytes = seen?.(run, trigger);
      return { reference: referenceOf(binding), namespace, name, isDeleted: false, bytes, isCurrent: true, binding };
    }
    case 'onStartup':
    case 'schedule':
    case 'synchronization':
    case 'ask':
    case 'http':
      return undefined;
    default:
      return unreachable(trigger);
  }
}

function referenceOf({ kind, apiVersion }: Place['reference']): Place['reference'] {
  return { kind, ...(apiVersion !== undefined && { apiVersion }) };
}
