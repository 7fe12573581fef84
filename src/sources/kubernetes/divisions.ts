import { HookConfigError } from '../../errors.ts';
import type { Hook, KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import { isDivided, isTogether } from '../../hook/shard-rules.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { Division } from './own-slices.ts';

type FieldOf = Division['fieldOf'];

type DividedHook = Pick<Hook, 'name' | 'bindings'>;

/** How the objects of a kubernetes binding are divided; undefined for one that is followed whole. */
export function fieldOfBinding(hook: DividedHook, binding: KubernetesBinding): FieldOf | undefined {
  return isDivided(binding) ? (kind) => fieldOf(hook, binding, kind) : undefined;
}

/** How what a reconcile binding follows is divided. */
export interface ReconcileFields {
  readonly parents: FieldOf;
  /**
   * Of children, or of what is watched, once the kind of the parents is found: as the parents where these are divided by
   * namespace and the objects of the part are in the namespaces of theirs; else each replica follows all of them.
   */
  readonly part: (isInNamespace: boolean) => FieldOf;
}

/** How what a reconcile binding follows is divided; undefined for one that is followed whole. */
export function fieldsOfReconcile(hook: DividedHook, binding: ReconcileBinding): ReconcileFields | undefined {
  if (!isDivided(binding)) return undefined;
  let field: ReturnType<FieldOf>;
  return {
    parents: (kind) => (field = fieldOf(hook, binding, kind)),
    part: (isInNamespace) => (kind) =>
      field === 'namespace' && isInNamespace && kind.isNamespaced ? 'namespace' : undefined,
  };
}

function fieldOf(
  hook: DividedHook,
  binding: KubernetesBinding | ReconcileBinding,
  { kind, isNamespaced }: ResourceKind,
): 'namespace' | 'uid' {
  const { type, name, shard } = binding;
  if (shard === 'uid' || (shard === undefined && !isNamespaced && !isTogether(hook, binding))) return 'uid';
  if (isNamespaced) return 'namespace';
  const message = `${kind} is cluster-scoped: its objects are in no namespace by which they could be divided, and by uid they are not on one replica with those that the hook shows beside them; say shard: ${isTogether(hook, binding) ? 'none' : 'uid'}`;
  throw new HookConfigError(hook.name, [{ path: `${type} ${name}`, message }]);
}
