import type { CompiledFilter } from '../../filter/compiled-filter.ts';
import type {
  Filter,
  KubernetesBinding,
  ObjectSelection,
  OwnedKind,
  ReconcileBinding,
  WatchedKind,
} from '../../hook/binding.ts';
import { MARK_LABEL, ownedKey, reconcileMark } from '../../hook/reconcile-mark.ts';
import { ownedFilter, parentFilter, watchedFilter } from './part-filters.ts';

/** Compiles a filter of the config. */
export type Compile = (filter: Filter) => CompiledFilter;

/** One kind that a reconcile binding follows, as a monitor follows it. */
export interface Part {
  readonly binding: KubernetesBinding;
  readonly filter: CompiledFilter;
  /** What its objects are: the parents, objects in the namespace of each parent they matter to, or objects of any. */
  readonly what: 'parents' | 'beside' | 'anywhere';
}

/** The parents, under the name of the binding. A child of their own kind is no parent. */
export function parentPart(binding: ReconcileBinding, compile: Compile): Part {
  const { name, filter, owns } = binding;
  const ownsItsKind = owns.some((owned) => ownedKey(owned) === ownedKey(binding));
  return {
    binding: watchOf(name, ownsItsKind ? withoutChildren(binding) : binding, true),
    filter: parentFilter(binding, filter && compile(filter)),
    what: 'parents',
  };
}

/**
 * The children of one kind, under a name such as `websites/Deployment.apps`. They are told by their label; where the
 * parents are in named namespaces, so are their children.
 */
export function ownedPart(binding: ReconcileBinding, owned: OwnedKind, compile: Compile): Part {
  const { kind, apiVersion, filter, otherNamespaces, isOptional } = owned;
  const { namespace } = binding;
  const selection: ObjectSelection = {
    kind,
    ...(apiVersion !== undefined && { apiVersion }),
    labelSelector: { matchLabels: { [MARK_LABEL]: reconcileMark(binding) } },
    ...(namespace !== undefined && !otherNamespaces && { namespace }),
  };
  return {
    // What is there is compared with what should be there, so the objects are needed in any case.
    binding: { ...watchOf(`${binding.name}/${ownedKey(owned)}`, selection, true), ...(isOptional && { isOptional }) },
    filter: ownedFilter(filter && compile(filter)),
    what: otherNamespaces ? 'anywhere' : 'beside',
  };
}

/** The objects of one entry of `watches`, under a name such as `websites/content`. */
export function watchedPart(binding: ReconcileBinding, watched: WatchedKind, compile: Compile): Part {
  const { name, filter, keepFullObjectsInMemory, isOptional } = watched;
  const follows = watchOf(`${binding.name}/${name}`, watched, keepFullObjectsInMemory);
  return {
    binding: { ...follows, ...(isOptional && { isOptional }) },
    filter: watchedFilter(compile(watched.for), filter && compile(filter)),
    what: namesOneBeside(watched.for) ? 'beside' : 'anywhere',
  };
}

/** The name and the labels of an object contain no slash and no asterisk: they name parents in its namespace alone. */
const PLAIN_NAME =
  /^\{?\$?\.metadata\.(?:name|labels(?:\.\w+|\.?\["[^"\\]+"\]|\."[^"\\]+"))\??(?: *\/\/ *(?:empty|null))?\}?$/;

/** Whether it is plain from the expression that it names only parents in the namespace of the object. */
function namesOneBeside({ expression }: Filter): boolean {
  return PLAIN_NAME.test(expression.trim());
}

function withoutChildren(binding: ReconcileBinding): ObjectSelection {
  const { labelSelector: { matchLabels = {}, matchExpressions = [] } = {} } = binding;
  const isNoChild = { key: MARK_LABEL, operator: 'NotIn', values: [reconcileMark(binding)] } as const;
  return { ...binding, labelSelector: { matchLabels, matchExpressions: [...matchExpressions, isNoChild] } };
}

function watchOf(name: string, selection: ObjectSelection, keepFullObjectsInMemory: boolean): KubernetesBinding {
  const { kind, apiVersion, names, labelSelector, fieldSelector, namespace } = selection;
  return {
    type: 'kubernetes',
    name,
    kind,
    ...(apiVersion !== undefined && { apiVersion }),
    ...(names !== undefined && { names }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(namespace !== undefined && { namespace }),
    executeHookOnEvent: ['Added', 'Modified', 'Deleted'],
    executeHookOnSynchronization: false,
    waitForSynchronization: true,
    keepFullObjectsInMemory,
    allowFailure: false,
    queue: '',
    includeSnapshotsFrom: [],
  };
}
