import { KubeError } from '../errors.ts';
import type { KubeClient } from './client.ts';
import type { ResourceKind } from './kind.ts';
import { discoverLegacy, type DiscoveryFailure, type LegacyRoot } from './discovery-legacy.ts';

/** Everything the server serves now. */
export interface Discovery {
  /** The core group first, then groups in the server's order, each with its preferred version first. */
  readonly kinds: readonly ResourceKind[];
  /** Groups that could not be read, such as one whose own API server is down. */
  readonly failures: readonly DiscoveryFailure[];
}

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** Asks for all kinds: in two requests where the server can say it so, else group by group. */
export async function discover(client: Pick<KubeClient, 'request'>, signal: AbortSignal): Promise<Discovery> {
  const [core, groups] = await Promise.all([
    discoverRoot(client, '/api', signal),
    discoverRoot(client, '/apis', signal),
  ]);
  return { kinds: [...core.kinds, ...groups.kinds], failures: [...core.failures, ...groups.failures] };
}

/** The parts of the two forms of answer that are read here. */
interface AggregatedRoot {
  readonly kind: 'APIGroupDiscoveryList';
  readonly items?: readonly AggregatedGroup[];
}
type Root = AggregatedRoot | LegacyRoot;

interface AggregatedGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly AggregatedVersion[];
}

interface AggregatedVersion {
  readonly version: string;
  readonly resources?: readonly AggregatedResource[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly verbs?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

async function discoverRoot(
  client: Pick<KubeClient, 'request'>,
  path: '/api' | '/apis',
  signal: AbortSignal,
): Promise<Discovery> {
  const root = (await requestRoot(client, path, signal)) as Root;
  if (root.kind !== 'APIGroupDiscoveryList') return discoverLegacy(client, root, signal);
  return { kinds: (root.items ?? []).flatMap(groupKinds), failures: [] };
}

async function requestRoot(client: Pick<KubeClient, 'request'>, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await client.request({ method: 'GET', path, accept: AGGREGATED }, signal);
  } catch (error) {
    if (!(error instanceof KubeError) || (error.status !== 406 && error.status !== 415)) throw error;
    return client.request({ method: 'GET', path }, signal);
  }
}

function groupKinds({ metadata, versions = [] }: AggregatedGroup): readonly ResourceKind[] {
  const group = metadata?.name ?? '';
  return versions.flatMap(({ version, resources = [] }) =>
    resources.flatMap((resource) => resourceKind(group, version, resource)),
  );
}

function resourceKind(group: string, version: string, resource: AggregatedResource): readonly ResourceKind[] {
  const kind = resource.responseKind?.kind ?? '';
  // Without a kind of its own it only holds subresources.
  if (kind === '') return [];
  return [
    {
      group,
      version,
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      plural: resource.resource,
      singular: resource.singularResource || kind.toLowerCase(),
      shortNames: resource.shortNames ?? [],
      isNamespaced: resource.scope === 'Namespaced',
      verbs: resource.verbs ?? [],
      subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
    },
  ];
}
