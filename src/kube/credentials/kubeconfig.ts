import type { Context as ContextEntry } from '@kubernetes/client-node/dist/config_types.js';

import { CredentialsError } from '../../errors.ts';
import { urlText } from '../../lib/url-text.ts';
import { createCluster, type Cluster, type ClusterAddress } from './cluster.ts';
import { readKubeconfigFile, type ClusterEntry, type KubeconfigFile, type UserEntry } from './kubeconfig-file.ts';
import type { Environment } from '../environment.ts';
import { parseProxy, proxyFromEnvironment } from './proxy.ts';
import { authorityCredentials, userCredentials } from './user-credentials.ts';

/** Merged kubeconfig files; of entries with the same name the first one counts. */
export interface Kubeconfig {
  readonly paths: readonly string[];
  /** Empty when no file sets it. */
  readonly currentContext: string;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
}

/** Reads and merges kubeconfig files. */
export async function readKubeconfig(paths: readonly string[]): Promise<Kubeconfig> {
  const files = await Promise.all(paths.map(readKubeconfigFile));
  return {
    paths,
    currentContext: files.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
    contexts: firstByName(files, ({ contexts }) => contexts),
    clusters: firstByName(files, ({ clusters }) => clusters),
    users: firstByName(files, ({ users }) => users),
  };
}

function firstByName<T extends { readonly name: string }>(
  files: readonly KubeconfigFile[],
  entries: (file: KubeconfigFile) => readonly T[],
): ReadonlyMap<string, T> {
  // In a Map the last entry wins, so the first file must come last.
  return new Map(
    files
      .flatMap(entries)
      .toReversed()
      .map((entry) => [entry.name, entry]),
  );
}

export interface ContextOptions {
  /** Default: the current context. */
  readonly context?: string | undefined;
  readonly env: Environment;
}

/** The cluster of a context, with its user's credentials. */
export function kubeconfigCluster(kubeconfig: Kubeconfig, { context, env }: ContextOptions): Cluster {
  const { name, cluster: clusterName, user: userName, namespace } = findContext(kubeconfig, context);
  const cluster = find(kubeconfig, kubeconfig.clusters, { what: 'cluster', name: clusterName, context: name });
  const user = userName
    ? find(kubeconfig, kubeconfig.users, { what: 'user', name: userName, context: name })
    : undefined;

  const server = parseServer(kubeconfig, cluster);
  const proxy =
    cluster.proxyUrl === undefined
      ? proxyFromEnvironment(server, env)
      : parseProxy(cluster.proxyUrl, `proxy-url of cluster ${cluster.name}`);
  const address: ClusterAddress = {
    name,
    server,
    ...(namespace === undefined ? {} : { namespace }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(cluster.tlsServerName === undefined ? {} : { servername: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify ? { rejectUnauthorized: false } : {}),
  };
  return createCluster(address, [
    ...authorityCredentials(cluster),
    ...(user === undefined ? [] : userCredentials(user, { cluster, env })),
  ]);
}

function findContext({ contexts, currentContext, paths }: Kubeconfig, asked: string | undefined): ContextEntry {
  const name = asked === undefined || asked === '' ? currentContext : asked;
  const context = contexts.get(name);
  if (context !== undefined) return context;
  const known = contexts.size === 0 ? 'it has none' : `it has ${[...contexts.keys()].toSorted().join(', ')}`;
  const wrong = name === '' ? 'no current-context is set' : `no context ${JSON.stringify(name)}`;
  throw new CredentialsError(`kubeconfig ${paths.join(', ')}: ${wrong}; ${known} (choose with --kube-context)`);
}

interface Wanted {
  readonly what: string;
  readonly name: string;
  readonly context: string;
}

function find<T>({ paths }: Kubeconfig, entries: ReadonlyMap<string, T>, { what, name, context }: Wanted): T {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  const wanted = `context ${JSON.stringify(context)} names ${what} ${JSON.stringify(name)}`;
  throw new CredentialsError(`kubeconfig ${paths.join(', ')}: ${wanted}, which does not exist`);
}

function parseServer({ paths }: Kubeconfig, { name, server }: ClusterEntry): URL {
  const url = URL.parse(server.includes('://') ? server : `https://${server}`);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new CredentialsError(
    `kubeconfig ${paths.join(', ')}: server of cluster ${name}: expected an http or https URL, got ${JSON.stringify(urlText(server))}`,
  );
}
