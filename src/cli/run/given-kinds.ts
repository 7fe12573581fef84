import { groupOfVersion } from '../../hook/reconcile-mark.ts';
import { findKind } from '../../kube/discovery/kind-search.ts';
import type { Kinds, ResourceKind } from '../../kube/kind.ts';
import { builtInKinds } from '../built-in-kinds.ts';
import { isObject } from '../../lib/json-object.ts';

/**
 * The kinds for an answer that is checked without a cluster: the built-in ones, and any other. Only a cluster knows
 * whether a custom kind has a namespace; here it has one when the parent has, or when a child of it has.
 */
export function givenKinds(
  children: readonly Readonly<Record<string, unknown>>[],
  parentNamespace: string,
): Pick<Kinds, 'resolve'> {
  const namespaced = new Set(children.flatMap((child) => (hasNamespace(child) ? keyOf(child) : [])));
  return {
    resolve: (reference) => {
      const { kind, apiVersion = 'v1' } = reference;
      const isNamespaced = parentNamespace !== '' || namespaced.has(keyOf({ apiVersion, kind }));
      return Promise.resolve(findKind(builtInKinds(), reference) ?? customKind(apiVersion, kind, isNamespaced));
    },
  };
}

function customKind(apiVersion: string, kind: string, isNamespaced: boolean): ResourceKind {
  const singular = kind.toLowerCase();
  return {
    group: groupOfVersion(apiVersion),
    version: apiVersion.split('/').at(-1) ?? '',
    apiVersion,
    kind,
    plural: `${singular}s`,
    singular,
    shortNames: [],
    isNamespaced,
    verbs: [],
    subresources: [],
  };
}

function hasNamespace({ metadata }: Readonly<Record<string, unknown>>): boolean {
  return isObject(metadata) && typeof metadata['namespace'] === 'string' && metadata['namespace'] !== '';
}

function keyOf({ apiVersion, kind }: Readonly<Record<string, unknown>>): string {
  return `${groupOfVersion(String(apiVersion))}/${String(kind)}`;
}
