import type { KubernetesBinding, ObjectSelection } from '../../hook/binding.ts';
import { groupOfVersion } from '../../hook/reconcile-mark.ts';
import { matchesField, matchesLabels } from '../../hook/selector-match.ts';
import { findKind } from '../../kube/discovery/kind-search.ts';
import { builtInKinds } from '../built-in-kinds.ts';
import type { GivenObject } from './object.ts';

/**
 * Whether a binding watches the kind of an object; `unknown` when only the cluster knows, as for short names of custom
 * resources.
 */
export function watchesKind(binding: KubernetesBinding, object: GivenObject): 'yes' | 'no' | 'unknown' {
  const { kind, apiVersion } = binding;
  const watched = findKind(builtInKinds(), { kind, ...(apiVersion !== undefined && { apiVersion }) });
  if (watched === undefined) return watchesCustom(binding, object);
  const { builtIn } = object;
  return watched.group === builtIn?.group && watched.plural === builtIn.plural ? 'yes' : 'no';
}

function watchesCustom({ kind, apiVersion }: KubernetesBinding, object: GivenObject): 'yes' | 'no' | 'unknown' {
  const group = groupOfVersion(object.apiVersion);
  if (apiVersion !== undefined && groupOfVersion(apiVersion) !== group) return 'no';
  const [name = '', ...qualifier] = kind.trim().toLowerCase().split('.');
  const isInGroup = qualifier.length === 0 || qualifier.join('.').endsWith(group);
  return isInGroup && namesOf(object.kind.toLowerCase()).includes(name) ? 'yes' : 'unknown';
}

/** A kind in lower case, and its most likely plural. */
function namesOf(kind: string): readonly string[] {
  return [kind, `${kind}s`, `${kind}es`, kind.replace(/y$/, 'ies')];
}

/**
 * The selector of a binding that excludes an object; `undefined` when none does. A selector of namespace labels matches
 * all.
 */
export function excludedBy(binding: ObjectSelection, object: GivenObject): string | undefined {
  const { names, namespace, labelSelector = {}, fieldSelector = [] } = binding;
  if (!isNamed(names, object.name)) return 'nameSelector';
  if (namespace?.type === 'names' && !isNamed(namespace.names, object.namespace)) return 'namespace.nameSelector';
  if (!matchesLabels(labelSelector, object.labels)) return 'labelSelector';
  return fieldSelector.every((requirement) => matchesField(requirement, object.value)) ? undefined : 'fieldSelector';
}

/** An absent list matches every name. */
function isNamed(names: readonly string[] = [], name: string): boolean {
  return names.length === 0 || names.includes(name);
}
