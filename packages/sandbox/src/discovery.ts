import { present } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { apiVersionOf, type ServedKind, type Subresource } from './kind.ts';

/** The `APIResourceList` of one group and version. */
export function resourceList(kinds: readonly ServedKind[], groupVersion: string): JsonObject {
  const resources = kinds.flatMap((kind) => [
    present({
      name: kind.plural,
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: kind.verbs,
      shortNames: kind.shortNames.length === 0 ? undefined : kind.shortNames,
      categories: kind.categories.length === 0 ? undefined : kind.categories,
    }),
    ...kind.subresources.map((subresource) => subresourceEntry(kind, subresource)),
  ]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function subresourceEntry(kind: ServedKind, subresource: Subresource): JsonObject {
  return {
    name: `${kind.plural}/${subresource.name}`,
    singularName: '',
    namespaced: kind.namespaced,
    ...subresource.groupVersion,
    kind: subresource.kind,
    verbs: subresource.verbs,
  };
}

/** The `APIVersions` of the core group. */
export function coreVersions(serverAddress: string): JsonObject {
  const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress }];
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
}

/** The `APIGroupList` of all named groups. */
export function groupList(kinds: readonly ServedKind[]): JsonObject {
  const groups = namedGroups(kinds).map((group) => groupEntry(kinds, group));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** The `APIGroup` of one named group, or undefined if nothing is served in it. */
export function groupDocument(kinds: readonly ServedKind[], group: string): JsonObject | undefined {
  if (versionsOf(kinds, group).length === 0) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(kinds, group) };
}

function groupEntry(kinds: readonly ServedKind[], group: string): JsonObject {
  const versions = versionsOf(kinds, group).map((version) => ({
    groupVersion: apiVersionOf({ group, version }),
    version,
  }));
  return present({ name: group, versions, preferredVersion: versions[0] });
}

/** The aggregated form of discovery: all groups with all their resources in one document. */
export function aggregatedDiscovery(
  kinds: readonly ServedKind[],
  root: 'api' | 'apis',
  version: 'v2' | 'v2beta1',
): JsonObject {
  const groups = root === 'api' ? [''] : namedGroups(kinds);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versionsOf(kinds, group).map((served) => ({
        version: served,
        resources: kinds.filter((kind) => kind.group === group && kind.version === served).map(aggregatedResource),
        freshness: 'Current',
      })),
    })),
  };
}

function aggregatedResource(kind: ServedKind): JsonObject {
  return present({
    resource: kind.plural,
    responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    shortNames: kind.shortNames.length === 0 ? undefined : kind.shortNames,
    categories: kind.categories.length === 0 ? undefined : kind.categories,
    subresources:
      kind.subresources.length === 0 ? undefined : kind.subresources.map((sub) => aggregatedPart(kind, sub)),
  });
}

function aggregatedPart(kind: ServedKind, subresource: Subresource): JsonObject {
  const { group, version } = subresource.groupVersion ?? kind;
  const responseKind = { group, version, kind: subresource.kind };
  return { subresource: subresource.name, responseKind, verbs: subresource.verbs };
}

function namedGroups(kinds: readonly ServedKind[]): readonly string[] {
  return [...new Set(kinds.map((kind) => kind.group))].filter((group) => group !== '');
}

function versionsOf(kinds: readonly ServedKind[], group: string): readonly string[] {
  return [...new Set(kinds.filter((kind) => kind.group === group).map((kind) => kind.version))].toSorted(
    byVersionPriority,
  );
}

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1, then anything else by name. */
export function byVersionPriority(left: string, right: string): number {
  const [leftRank, rightRank] = [versionRank(left), versionRank(right)];
  for (const [index, rank] of leftRank.entries()) {
    const difference = (rightRank[index] ?? 0) - rank;
    if (difference !== 0) return difference;
  }
  return left < right ? -1 : 1;
}

function versionRank(version: string): readonly [number, number, number] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const stability = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
