import type { Binding, Hook, KubernetesBinding, ObjectSelection } from '../../hook/binding.ts';
import type { KindReference } from '../../kube/kind.ts';

/** What hooks watch of one kind in one place. */
export interface Wanted {
  readonly reference: KindReference;
  /** Absent: all namespaces, or a kind without. */
  readonly namespace?: string;
  /** The selection of a binding; absent: every object. */
  readonly selection?: Pick<KubernetesBinding, 'names' | 'labelSelector' | 'fieldSelector'>;
}

/** Everything that hooks watch, each once. Where namespaces are selected by labels, they are watched too, and all of them. */
export function wantedBy(hooks: readonly Hook[]): readonly Wanted[] {
  const all = hooks.flatMap(({ bindings }) => bindings).flatMap(wantedByBinding);
  return [...new Map(all.map((wanted) => [wantedKey(wanted), wanted])).values()];
}

/** What is the same for two that are the same. */
export function wantedKey({ reference, namespace = '', selection = {} }: Wanted): string {
  return JSON.stringify([reference.apiVersion ?? '', reference.kind.toLowerCase(), namespace, selection]);
}

function wantedByBinding(binding: Binding): readonly Wanted[] {
  switch (binding.type) {
    case 'kubernetes':
      return ofSelection(binding, binding);
    case 'reconcile': {
      const owned = binding.owns.map((reference): Wanted => ({ reference: referenceOf(reference) }));
      const watched = binding.watches.flatMap((one) => ofSelection(one, one));
      return [...ofSelection(binding, binding), ...placed(owned, binding.namespace), ...watched];
    }
    case 'onStartup':
    case 'schedule':
    case 'kubernetesValidating':
    case 'kubernetesMutating':
    case 'kubernetesCustomResourceConversion':
    case 'http':
      return [];
  }
}

type Namespaces = ObjectSelection['namespace'];

function ofSelection(
  reference: KindReference,
  selection: Omit<ObjectSelection, 'kind' | 'apiVersion'>,
): readonly Wanted[] {
  const { names, labelSelector, fieldSelector, namespace } = selection;
  const narrowed = {
    ...(names && { names }),
    ...(labelSelector && { labelSelector }),
    ...(fieldSelector && { fieldSelector }),
  };
  const isNarrow = Object.keys(narrowed).length > 0;
  return placed([{ reference: referenceOf(reference), ...(isNarrow && { selection: narrowed }) }], namespace);
}

function placed(wanted: readonly Wanted[], namespaces: Namespaces): readonly Wanted[] {
  if (namespaces === undefined) return wanted;
  if (namespaces.type === 'labels') return [...wanted, { reference: { kind: 'Namespace', apiVersion: 'v1' } }];
  return namespaces.names.flatMap((namespace) => wanted.map((one) => ({ ...one, namespace })));
}

function referenceOf({ kind, apiVersion }: KindReference): KindReference {
  return { kind, ...(apiVersion !== undefined && { apiVersion }) };
}
