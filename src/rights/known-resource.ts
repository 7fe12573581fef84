import { groupOfVersion } from '../hook/reconcile-mark.ts';
import { findKind } from '../kube/discovery/kind-search.ts';
import type { KindReference, ResourceKind } from '../kube/kind.ts';

/** A kind as rules name it. */
export interface KnownResource {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Whether its objects have a status of their own; true where that is not known. */
  readonly hasStatus: boolean;
  /** Whether a list of kinds has it; else the name is guessed, as Kubernetes guesses it. */
  readonly isVerified: boolean;
}

/** Finds the resource of a kind without a cluster. */
export type FindResource = (reference: KindReference) => KnownResource;

/** Finds resources among kinds in the order of precedence, such as the built-in ones and those of CRD files. */
export function resourcesAmong(kinds: readonly ResourceKind[]): FindResource {
  return (reference) => {
    const found = findKind(kinds, reference) ?? findKind(kinds, ofAnyVersion(kinds, reference));
    if (found === undefined) return guessed(reference);
    const { group, plural, kind, isNamespaced, subresources } = found;
    const hasStatus = subresources.includes('status');
    return { group, plural, kind, isNamespaced, hasStatus, isVerified: true };
  };
}

/** Rules have no versions, so a kind of the group in another version is the same resource. */
function ofAnyVersion(kinds: readonly ResourceKind[], { kind, apiVersion = '' }: KindReference): KindReference {
  const group = groupOfVersion(apiVersion);
  const versions = kinds.filter((one) => one.group === group && one.kind.toLowerCase() === kind.toLowerCase());
  return { kind, apiVersion: versions[0]?.apiVersion ?? apiVersion };
}

function guessed({ kind, apiVersion = '' }: KindReference): KnownResource {
  const [name = '', ...qualifier] = kind.trim().split('.');
  const group =
    apiVersion === '' ? qualifier.filter((part) => !/^v\d/.test(part)).join('.') : groupOfVersion(apiVersion);
  return {
    group,
    plural: pluralOf(name.toLowerCase()),
    kind: name,
    isNamespaced: true,
    hasStatus: true,
    isVerified: false,
  };
}

function pluralOf(name: string): string {
  if (name.endsWith('s')) return `${name}es`;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}
