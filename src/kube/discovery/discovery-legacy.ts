import { apiPath } from '../api-path.ts';
import type { KubeClient } from '../client.ts';
import { objectsIn, sound, textsIn } from './discovery-answer.ts';
import type { ResourceKind } from '../kind.ts';
import { asJsonObject, malformed, text } from '../object.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** A group version that could not be discovered. */
export interface DiscoveryFailure {
  readonly groupVersion: string;
  readonly error: Error;
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Requests the kinds of each version of each group; a failed group version does not hide the others. */
export async function discoverLegacy(
  client: Pick<KubeClient, 'request'>,
  root: unknown,
  signal: AbortSignal,
): Promise<{ readonly kinds: readonly ResourceKind[]; readonly failures: readonly DiscoveryFailure[] }> {
  const groupVersions = listGroupVersions(root);
  if (groupVersions.length > MAX_GROUP_VERSIONS) {
    throw malformed(`${groupVersions.length} group versions, expected at most ${MAX_GROUP_VERSIONS}`);
  }
  const results = await Promise.allSettled(
    groupVersions.map(async ({ group, version }) => {
      const path = group === '' ? apiPath('api', version) : apiPath('apis', group, version);
      return client.request({ method: 'GET', path }, signal);
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
  const checked = sound(kinds);
  return { kinds: checked.kinds, failures: [...failures, ...checked.failures] };
}

/** Each group version costs a request; a cluster has dozens. */
const MAX_GROUP_VERSIONS = 1000;

function listGroupVersions(root: unknown): readonly GroupVersion[] {
  const core = textsIn(root, 'versions').map((version) => ({ group: '', version }));
  const named = objectsIn(root, 'groups').flatMap((group) => {
    const preferred = text(asJsonObject(group['preferredVersion'])['version']);
    const names = objectsIn(group, 'versions').map(({ version }) => text(version));
    const ordered = preferred === '' ? names : [preferred, ...names.filter((name) => name !== preferred)];
    return ordered.map((version) => ({ group: text(group['name']), version }));
  });
  return [...core, ...named];
}

function listKinds(groupVersion: GroupVersion, answer: unknown): readonly ResourceKind[] {
  const resources = objectsIn(answer, 'resources').map((resource) => ({ ...resource, name: text(resource['name']) }));
  const subresources = Map.groupBy(
    resources.map(({ name }) => name.split('/')).filter((parts) => parts.length > 1),
    ([parent]) => parent,
  );
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource: JsonObject & { readonly name: string }) => ({
      ...groupVersion,
      apiVersion: apiVersionOf(groupVersion),
      kind: text(resource['kind']),
      plural: resource.name,
      singular: text(resource['singularName']) || text(resource['kind']).toLowerCase(),
      shortNames: textsIn(resource, 'shortNames'),
      isNamespaced: resource['namespaced'] === true,
      verbs: textsIn(resource, 'verbs'),
      subresources: (subresources.get(resource.name) ?? []).map((parts) => parts.slice(1).join('/')),
    }));
}

function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
