import { isJsonObject, type JsonObject, type Sandbox } from '@hooklet/sandbox';
import { apiPath } from '../../kube/api-path.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { Logger } from '../../log.ts';

export interface DefinitionParts {
  readonly client: KubeClient;
  readonly sandbox: Pick<Sandbox, 'apply' | 'mirror'>;
  readonly log: Logger;
}

/**
 * Has the sandbox serve a kind of the real cluster: by the CustomResourceDefinition of that one, where it may be read and
 * the sandbox takes it, else by one that takes any fields. Converters of the real cluster are never called: objects are
 * read in the version that hooks watch.
 */
export async function serveKind(kind: ResourceKind, parts: DefinitionParts, signal: AbortSignal): Promise<void> {
  const { client, sandbox, log } = parts;
  if (sandbox.mirror.serves({ apiVersion: kind.apiVersion, kind: kind.kind })) return;
  const name = `${kind.plural}.${kind.group}`;
  try {
    const path = apiPath('apis', 'apiextensions.k8s.io', 'v1', 'customresourcedefinitions', name);
    const definition = await client.request({ method: 'GET', path }, signal);
    const served = isJsonObject(definition) ? plainDefinition(definition, kind) : undefined;
    if (served !== undefined) {
      await sandbox.apply(served);
      return;
    }
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ crd: name, err: error }, 'the definition of a kind cannot be had: objects of it are not checked here');
  }
  await sandbox.apply(openDefinition(kind));
}

/** The definition without what belongs to the real cluster: other versions, its converter, its status. */
function plainDefinition(definition: JsonObject, kind: ResourceKind): JsonObject | undefined {
  const { spec, metadata } = definition;
  if (!isJsonObject(spec) || !isJsonObject(metadata) || !Array.isArray(spec['versions'])) return undefined;
  const version = spec['versions'].find((one) => isJsonObject(one) && one['name'] === kind.version);
  if (!isJsonObject(version)) return undefined;
  const { conversion: _, ...rest } = spec;
  const versions = [{ ...version, served: true, storage: true }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: { ...rest, versions },
  };
}

function openDefinition({ group, version, kind, plural, singular, ...rest }: ResourceKind): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const subresources = rest.subresources.includes('status') ? { subresources: { status: {} } } : {};
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: rest.isNamespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        plural,
        singular: singular === '' ? kind.toLowerCase() : singular,
        shortNames: [...rest.shortNames],
      },
      versions: [{ name: version, served: true, storage: true, ...subresources, schema }],
    },
  };
}
