import { KubeError } from '../../errors.ts';
import type { KubeClient } from '../client.ts';
import { objectsIn, sound, textsIn } from './discovery-answer.ts';
import { discoverLegacy, type DiscoveryFailure } from './discovery-legacy.ts';
import type { ResourceKind } from '../kind.ts';
import { asJsonObject, text } from '../object.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** All kinds that the server serves. */
export interface Discovery {
  /** The core group first, then groups in the server's order, each with its preferred version first. */
  readonly kinds: readonly ResourceKind[];
  /** Groups that could not be discovered, for example because their aggregated API server is down. */
  readonly failures: readonly DiscoveryFailure[];
}

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** Discovers all kinds: in two requests if the server supports aggregated discovery, else group by group. */
export async function discover(client: Pick<KubeClient, 'request'>, signal: AbortSignal): Promise<Discovery> {
  const [core, groups] = await Promise.all([
    discoverRoot(client, '/api', signal),
    discoverRoot(client, '/apis', signal),
  ]);
  return { kinds: [...core.kinds, ...groups.kinds], failures: [...core.failures, ...groups.failures] };
}

async function discoverRoot(
  client: Pick<KubeClient, 'request'>,
  path: '/api' | '/apis',
  signal: AbortSignal,
): Promise<Discovery> {
  const root = await requestRoot(client, path, signal);
  if (asJsonObject(root)['kind'] !== 'APIGroupDiscoveryList') return discoverLegacy(client, root, signal);
  const groups = objectsIn(root, 'items');
  const { kinds, failures } = sound(groups.flatMap(groupKinds));
  return { kinds, failures: [...failures, ...groups.flatMap(staleVersions)] };
}

/** The versions whose aggregated API server did not answer; what it serves may not be in the list. */
function staleVersions(group: JsonObject): readonly DiscoveryFailure[] {
  const name = text(asJsonObject(group['metadata'])['name']);
  const stale = objectsIn(group, 'versions').filter(({ freshness }) => freshness === 'Stale');
  const error = new Error('its API server does not answer');
  return stale.map(({ version }) => ({ groupVersion: `${name}/${text(version)}`, error }));
}

async function requestRoot(client: Pick<KubeClient, 'request'>, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await client.request({ method: 'GET', path, accept: AGGREGATED }, signal);
  } catch (error) {
    if (!(error instanceof KubeError) || (error.status !== 406 && error.status !== 415)) throw error;
    return client.request({ method: 'GET', path }, signal);
  }
}

function groupKinds(group: JsonObject): readonly ResourceKind[] {
  const name = text(asJsonObject(group['metadata'])['name']);
  return objectsIn(group, 'versions').flatMap((version) =>
    objectsIn(version, 'resources').flatMap((resource) => resourceKind(name, text(version['version']), resource)),
  );
}

function resourceKind(group: string, version: string, resource: JsonObject): readonly ResourceKind[] {
  const kind = text(asJsonObject(resource['responseKind'])['kind']);
  // A resource without a kind only groups subresources.
  if (kind === '') return [];
  return [
    {
      group,
      version,
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      plural: text(resource['resource']),
      singular: text(resource['singularResource']) || kind.toLowerCase(),
      shortNames: textsIn(resource, 'shortNames'),
      isNamespaced: resource['scope'] === 'Namespaced',
      verbs: textsIn(resource, 'verbs'),
      subresources: objectsIn(resource, 'subresources').map(({ subresource }) => text(subresource)),
    },
  ];
}
