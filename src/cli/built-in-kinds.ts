import { builtInKinds as servedKinds } from '@hooklet/sandbox/kinds';
import type { ResourceKind } from '../kube/kind.ts';

let known: readonly ResourceKind[] | undefined;

/** The kinds that every cluster of this Kubernetes version has, sorted by the precedence that discovery uses. */
export function builtInKinds(): readonly ResourceKind[] {
  known ??= servedKinds().map(({ namespaced, subresources, ...kind }) => ({
    group: kind.group,
    version: kind.version,
    apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    plural: kind.plural,
    singular: kind.singular,
    shortNames: kind.shortNames,
    isNamespaced: namespaced,
    verbs: kind.verbs,
    subresources: subresources.map(({ name }) => name),
  }));
  return known;
}
