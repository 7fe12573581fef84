import type {
  Binding,
  Hook,
  KubernetesBinding,
  ObjectSelection,
  OwnedKind,
  ReconcileBinding,
} from '../hook/binding.ts';
import { needsFinalizer } from '../hook/reconcile-mark.ts';
import { needsOf, type Need, type NeedBase } from './need.ts';
import type { FindResource, KnownResource } from './known-resource.ts';

/**
 * What the bindings of hooks need: exactly the requests that hooklet sends for them. What the hooks write besides, by
 * patch files or with kubectl, is not in their config; it comes from what was seen.
 */

const FOLLOW = ['list', 'watch'];
const NAMESPACES = { group: '', resource: 'namespaces', namespace: '' };

/** The needs of all bindings of a hook. */
export function bindingNeeds({ name: hook, bindings }: Hook, find: FindResource): readonly Need[] {
  const of = { type: 'hook', hook } as const;
  return bindings.flatMap((binding) => needsOfBinding(binding, find).map((need): Need => ({ ...need, of })));
}

type Owned = Omit<Need, 'of'>;
type Base = Omit<NeedBase, 'of'>;

function needsOfBinding(binding: Binding, find: FindResource): readonly Owned[] {
  switch (binding.type) {
    case 'kubernetes':
      return kubernetesNeeds(binding, find);
    case 'reconcile':
      return reconcileNeeds(binding, find);
    case 'onStartup':
    case 'schedule':
    case 'http':
    // What webhooks need is a need of hooklet, once for all of them.
    case 'kubernetesValidating':
    case 'kubernetesMutating':
    case 'kubernetesCustomResourceConversion':
      return [];
  }
}

function kubernetesNeeds(binding: KubernetesBinding, find: FindResource): readonly Owned[] {
  return selectionNeeds(binding, find(binding), `binding "${binding.name}"`);
}

function reconcileNeeds(binding: ReconcileBinding, find: FindResource): readonly Owned[] {
  const what = `reconcile "${binding.name}"`;
  const parent = find(binding);
  const watched = binding.watches.flatMap((one) => selectionNeeds(one, find(one), `${what} watches "${one.name}"`));
  return [
    ...selectionNeeds(binding, parent, what),
    ...parentNeeds(binding, parent, what),
    ...binding.owns.flatMap((owned) => childNeeds({ binding, parent, what }, find(owned), owned)),
    ...watched,
    ...all(
      { ...NAMESPACES, reason: `${what}: the annotation hooklet.dev/pause of namespaces`, isOptional: true },
      FOLLOW,
    ),
  ];
}

/** Status and Events are written for every object; the finalizer only where one is needed. */
function parentNeeds(binding: ReconcileBinding, parent: KnownResource, what: string): readonly Owned[] {
  return placesOf(binding, parent).flatMap(({ namespace, why }) => {
    const base = { group: parent.group, resource: parent.plural, namespace, ...unverified(parent) };
    const finalizer = needsFinalizer(binding)
      ? all({ ...base, reason: `${what}: its finalizer${why}` }, ['get', 'patch'])
      : [];
    const owners: readonly Owned[] =
      binding.owns.length === 0
        ? []
        : all(
            {
              ...base,
              resource: `${parent.plural}/finalizers`,
              reason: `${what}: owner references of children, where OwnerReferencesPermissionEnforcement is on`,
              isOptional: true,
            },
            ['update'],
          );
    const status = { ...base, resource: `${parent.plural}/status`, reason: `${what}: conditions and status` };
    // Events about objects without a namespace are in default.
    const place = parent.isNamespaced ? namespace : 'default';
    const events = { group: '', resource: 'events', namespace: place, reason: `${what}: Events about its objects` };
    return [
      ...finalizer,
      ...owners,
      ...(parent.hasStatus ? all(status, ['patch']) : []),
      ...(parent.hasStatus ? all({ ...base, reason: `${what}: the status before it is written` }, ['get']) : []),
      ...all({ ...events, isOptional: true }, ['create', 'patch']),
    ];
  });
}

interface Reconciled {
  readonly binding: ReconcileBinding;
  readonly parent: KnownResource;
  readonly what: string;
}

function childNeeds(
  { binding, parent, what }: Reconciled,
  child: KnownResource,
  { otherNamespaces, isOptional }: OwnedKind,
): readonly Owned[] {
  const places = otherNamespaces || !parent.isNamespaced ? EVERYWHERE : placesOf(binding, child);
  return places.flatMap(({ namespace, why }) => {
    const place = { group: child.group, resource: child.plural, namespace, ...unverified(child) };
    const reason = `${what} owns ${child.kind}${isOptional ? ', where the cluster has it' : ''}${why}`;
    return [
      ...all({ ...place, reason }, FOLLOW),
      ...all({ ...place, reason: `${reason}; server-side apply creates what is not there` }, ['create', 'patch']),
      ...all({ ...place, reason: `${reason}; a child that is in the way is read` }, ['get']),
      ...all({ ...place, reason: `${reason}; only to delete one that the hook leaves out`, isOptional: true }, [
        'delete',
      ]),
    ];
  });
}

/** List and watch of what is selected; a name is a field selector of its own, which RBAC can be limited to. */
function selectionNeeds(selection: ObjectSelection, resource: KnownResource, what: string): readonly Owned[] {
  const names = [...new Set(selection.names ?? [])];
  const named: readonly { readonly name?: string }[] = names.length === 0 ? [{}] : names.map((name) => ({ name }));
  const { namespace: selector } = selection;
  const isByLabel = resource.isNamespaced && selector?.type === 'labels';
  return [
    ...placesOf(selection, resource).flatMap(({ namespace, why }) =>
      named.flatMap((name) =>
        all(
          {
            group: resource.group,
            resource: resource.plural,
            namespace,
            ...name,
            reason: `${what} follows ${resource.kind}${why}`,
            ...unverified(resource),
          },
          FOLLOW,
        ),
      ),
    ),
    ...(isByLabel ? all({ ...NAMESPACES, reason: `${what} selects namespaces by labels` }, FOLLOW) : []),
  ];
}

interface Place {
  readonly namespace: string;
  /** Why the rule is for the whole cluster; empty for a namespace. */
  readonly why: string;
}

const EVERYWHERE: readonly Place[] = [{ namespace: '', why: ' in all namespaces, because children may be in others' }];

function placesOf(
  { namespace }: Pick<ObjectSelection, 'namespace'>,
  { isNamespaced }: KnownResource,
): readonly Place[] {
  if (!isNamespaced) return [{ namespace: '', why: ', which has no namespace' }];
  if (namespace === undefined || (namespace.type === 'names' && namespace.names.length === 0)) {
    return [{ namespace: '', why: ' in all namespaces, because it names none' }];
  }
  if (namespace.type === 'labels') {
    return [{ namespace: '', why: ' in all namespaces, because it selects them by labels' }];
  }
  return [...new Set(namespace.names)].map((name) => ({ namespace: name, why: '' }));
}

function unverified({ isVerified }: KnownResource): Pick<Need, 'isUnverified'> {
  return isVerified ? {} : { isUnverified: true };
}

function all(base: Base, verbs: readonly string[]): readonly Owned[] {
  return needsOf({ ...base, of: { type: 'hooklet' } }, verbs).map(({ of: _of, ...need }) => need);
}
