import { HookConfigError } from '../../errors.ts';
import type { Hook, KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import { isDivided, isTogether } from '../../hook/shard-rules.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { latch } from '../../lib/latch.ts';
import type { Division } from './own-slices.ts';

type FieldOf = Division['fieldOf'];

type DividedHook = Pick<Hook, 'name' | 'bindings'>;

/** How the objects of a kubernetes binding are divided; undefined for one that is followed whole. */
export function fieldOfBinding(hook: DividedHook, binding: KubernetesBinding): FieldOf | undefined {
  return isDivided(binding) ? (kind) => fieldOfKind(hook, binding, kind) : undefined;
}

/** How what a reconcile binding follows is divided. */
export interface ReconcileFields {
  /** Throws an error where the scope of the kind has changed, since the parts are divided by the scope it had. */
  readonly parents: FieldOf;
  /** Resolves when it is known how the parents are divided; a part is followed from then on. */
  readonly known: Promise<void>;
  /**
   * Of children, or of what is watched: as the parents where these are divided by namespace and the objects of the part
   * are in the namespaces of theirs; else each replica follows all of them.
   */
  readonly part: (isInNamespace: boolean) => FieldOf;
}

/** How what a reconcile binding follows is divided; undefined for one that is followed whole. */
export function fieldsOfReconcile(hook: DividedHook, binding: ReconcileBinding): ReconcileFields | undefined {
  if (!isDivided(binding)) return undefined;
  const known = latch();
  let field: ReturnType<FieldOf>;
  return {
    parents: (kind) => {
      const found = fieldOfKind(hook, binding, kind);
      if (field !== undefined && field !== found) throw rescoped(hook, binding, found);
      field = found;
      known.resolve();
      return found;
    },
    known: known.promise,
    part: (isInNamespace) => (kind) =>
      field === 'namespace' && isInNamespace && kind.isNamespaced ? 'namespace' : undefined,
  };
}

function rescoped({ name: hook }: DividedHook, { type, name, kind }: ReconcileBinding, found: string): HookConfigError {
  const message = `the scope of ${kind} has changed, so its objects are divided by ${found} from now on: restart all replicas`;
  return new HookConfigError(hook, [{ path: `${type} ${name}`, message }]);
}

/** By what the objects of a divided binding are divided; throws an error for a kind where that cannot be. */
export function fieldOfKind(
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
