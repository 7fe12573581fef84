import type {
  V1ConfigMap,
  V1DownwardAPIProjection,
  V1DownwardAPIVolumeFile,
  V1KeyToPath,
  V1Pod,
  V1Secret,
  V1ServiceAccountTokenProjection,
  V1Volume,
  V1VolumeProjection,
} from '@kubernetes/client-node';
import { at, type Api } from './api.ts';
import { accountOf, fieldOf, resourceOf, type PodSelf } from './downward.ts';
import type { VolumeFile } from './files.ts';

/** The sources of the files of volumes. */
export interface ObjectSources extends PodSelf {
  readonly api: Api;
  /** The CA certificate of the API server. */
  readonly ca: string;
}

/** The path at which containers find their credentials. */
export const CREDENTIALS_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

const DEFAULT_MODE = 0o644;

/**
 * The files of a volume that is made from objects; undefined for a volume of another type. Throws if an object or a key
 * is missing.
 */
export async function objectFiles(
  volume: V1Volume,
  sources: ObjectSources,
): Promise<readonly VolumeFile[] | undefined> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) return projection({ configMap }, sources, configMap.defaultMode);
  if (secret !== undefined) {
    const { secretName: name, ...rest } = secret;
    return projection({ secret: { ...rest, ...(name !== undefined && { name }) } }, sources, secret.defaultMode);
  }
  if (downwardAPI !== undefined) return projection({ downwardAPI }, sources, downwardAPI.defaultMode);
  if (projected === undefined) return undefined;
  const parts = (projected.sources ?? []).map((source) => projection(source, sources, projected.defaultMode));
  return (await Promise.all(parts)).flat();
}

/** The files of a pod's ServiceAccount, as every container gets them. */
export async function credentialFiles(sources: ObjectSources): Promise<readonly VolumeFile[]> {
  const token = await projection({ serviceAccountToken: { path: 'token', expirationSeconds: 3607 } }, sources);
  return [
    ...token,
    { path: 'ca.crt', content: sources.ca, mode: DEFAULT_MODE },
    { path: 'namespace', content: sources.pod.metadata?.namespace ?? '', mode: DEFAULT_MODE },
  ];
}

/** The data of a ConfigMap as bytes. */
export function configMapData({ data = {}, binaryData = {} }: V1ConfigMap): Readonly<Record<string, Uint8Array>> {
  const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value)] as const);
  return Object.fromEntries([...texts, ...fromBase64(binaryData)]);
}

/** The data of a Secret as bytes. */
export function secretData({ data = {} }: V1Secret): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(fromBase64(data));
}

function fromBase64(data: Readonly<Record<string, string>>): readonly (readonly [string, Uint8Array])[] {
  return Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const);
}

async function projection(
  source: V1VolumeProjection,
  sources: ObjectSources,
  mode: number = DEFAULT_MODE,
): Promise<readonly VolumeFile[]> {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  const namespace = namespaceOf(sources.pod);
  if (configMap !== undefined) {
    const object = await sources.api.get<V1ConfigMap>(at(namespace, 'configmaps', configMap.name));
    return keyFiles('configmap', configMap, { data: object && configMapData(object), mode });
  }
  if (secret !== undefined) {
    const object = await sources.api.get<V1Secret>(at(namespace, 'secrets', secret.name));
    return keyFiles('secret', secret, { data: object && secretData(object), mode });
  }
  if (downwardAPI !== undefined) return downwardFiles(downwardAPI, sources, mode);
  if (serviceAccountToken !== undefined) return [await tokenFile(serviceAccountToken, sources, mode)];
  throw new Error(`a volume comes from something unknown here: ${JSON.stringify(source)}`);
}

function namespaceOf({ metadata }: V1Pod): string {
  return metadata?.namespace ?? '';
}

function downwardFiles(
  { items = [] }: V1DownwardAPIProjection,
  sources: ObjectSources,
  mode: number,
): readonly VolumeFile[] {
  return items.map((item) => downwardFile(item, sources, mode));
}

interface KeyReference {
  readonly name?: string;
  readonly items?: readonly V1KeyToPath[];
  readonly optional?: boolean;
}

function keyFiles(
  kind: string,
  { name = '', items, optional = false }: KeyReference,
  { data, mode }: { readonly data: Readonly<Record<string, Uint8Array>> | undefined; readonly mode: number },
): readonly VolumeFile[] {
  if (data === undefined && !optional) throw new Error(`${kind} "${name}" not found`);
  const known = data ?? {};
  const wanted = items ?? Object.keys(known).map((key): V1KeyToPath => ({ key, path: key }));
  return wanted.flatMap((item) => {
    const content = known[item.key];
    if (content !== undefined) return [{ path: item.path, content, mode: item.mode ?? mode }];
    if (optional) return [];
    throw new Error(`${kind} "${name}" references non-existent key: ${item.key}`);
  });
}

function downwardFile(item: V1DownwardAPIVolumeFile, sources: ObjectSources, mode: number): VolumeFile {
  const { path, fieldRef, resourceFieldRef } = item;
  const container = sources.pod.spec?.containers.find(({ name }) => name === resourceFieldRef?.containerName);
  const content =
    resourceFieldRef !== undefined && container !== undefined
      ? resourceOf(container, resourceFieldRef)
      : fieldOf(sources, fieldRef?.fieldPath ?? '');
  return { path, content, mode: item.mode ?? mode };
}

async function tokenFile(
  { path, audience, expirationSeconds = 3600 }: V1ServiceAccountTokenProjection,
  { api, pod }: ObjectSources,
  mode: number,
): Promise<VolumeFile> {
  const { name, uid, namespace = '' } = pod.metadata ?? {};
  const account = accountOf(pod);
  const { status } = await api.create<{ readonly status: { readonly token: string } }>(
    at(namespace, 'serviceaccounts', account, 'token'),
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: audience === undefined ? [] : [audience],
        expirationSeconds,
        // Without the admission plugin, a pod may have no account in its spec; then its token cannot be bound to it.
        ...(hasAccount(pod) && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } }),
      },
    },
  );
  return { path, content: status.token, mode };
}

function hasAccount({ spec }: V1Pod): boolean {
  return (spec?.serviceAccountName ?? '') !== '';
}
