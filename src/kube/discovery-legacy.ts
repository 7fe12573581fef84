import type { KubeClient } from './client.ts';
import type { ResourceKind } from './kind.ts';

/** A group version that could not be read. */
export interface DiscoveryFailure {
  readonly groupVersion: string;
  readonly error: Error;
}

/** The parts of `/api` (APIVersions) and `/apis` (APIGroupList) that are read here. */
export interface LegacyRoot {
  readonly kind: 'APIVersions' | 'APIGroupList';
  readonly versions?: readonly string[];
  readonly groups?: readonly LegacyGroup[];
}

interface LegacyGroup {
  readonly name: string;
  readonly versions?: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version?: string };
}

interface LegacyResourceList {
  readonly resources?: readonly LegacyResource[];
}

interface LegacyResource {
  /** `deployments`, or `deployments/scale`. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced?: boolean;
  readonly singularName?: string;
  readonly shortNames?: readonly string[];
  readonly verbs?: readonly string[];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Asks each version of each group for its kinds; one that cannot be read does not hide the others. */
export async function discoverLegacy(
  client: Pick<KubeClient, 'request'>,
  root: LegacyRoot,
  signal: AbortSignal,
): Promise<{ readonly kinds: readonly ResourceKind[]; readonly failures: readonly DiscoveryFailure[] }> {
  const groupVersions = listGroupVersions(root);
  const results = await Promise.allSettled(
    groupVersions.map(async ({ group, version }) => {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      return (await client.request({ method: 'GET', path }, signal)) as LegacyResourceList;
    }),
  );
  signal.throwIfAborted();

  const kinds: ResourceKind[] = [];
  const failures: DiscoveryFailure[] = [];
  for (const [index, { group, version }] of groupVersions.entries()) {
    const result = results[index];
    if (result?.status === 'fulfilled') kinds.push(...listKinds({ group, version }, result.value));
    else failures.push({ groupVersion: apiVersionOf({ group, version }), error: toError(result?.reason) });
  }
  return { kinds, failures };
}

function listGroupVersions({ versions = [], groups = [] }: LegacyRoot): readonly GroupVersion[] {
  const core = versions.map((version) => ({ group: '', version }));
  const named = groups.flatMap((group) => {
    const preferred = group.preferredVersion?.version;
    const names = (group.versions ?? []).map(({ version }) => version);
    const ordered = preferred === undefined ? names : [preferred, ...names.filter((name) => name !== preferred)];
    return ordered.map((version) => ({ group: group.name, version }));
  });
  return [...core, ...named];
}

function listKinds(groupVersion: GroupVersion, { resources = [] }: LegacyResourceList): readonly ResourceKind[] {
  const subresources = Map.groupBy(
    resources.map(({ name }) => name.split('/')).filter((parts) => parts.length > 1),
    ([parent]) => parent,
  );
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      ...groupVersion,
      apiVersion: apiVersionOf(groupVersion),
      kind: resource.kind,
      plural: resource.name,
      singular: resource.singularName || resource.kind.toLowerCase(),
      shortNames: resource.shortNames ?? [],
      isNamespaced: resource.namespaced === true,
      verbs: resource.verbs ?? [],
      subresources: (subresources.get(resource.name) ?? []).map((parts) => parts.slice(1).join('/')),
    }));
}

function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
