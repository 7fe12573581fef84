import { delimiter, join } from 'node:path';

import { CredentialsError } from '../../errors.ts';
import type { Cluster } from './cluster.ts';
import type { Environment } from '../environment.ts';
import { exists } from '../../lib/exists.ts';
import { loadInCluster, type InClusterOptions } from './in-cluster.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { proxyFromEnvironment } from './proxy.ts';

export interface LoadClusterOptions extends InClusterOptions {
  /** `--kube-config`; the file must exist. */
  readonly kubeConfigPath?: string | undefined;
  /** `--kube-context`; default: the kubeconfig's current context. */
  readonly context?: string | undefined;
}

/**
 * Finds the cluster and its credentials as kubectl does: from the given kubeconfig, the files in KUBECONFIG, or
 * `~/.kube/config`; if there is none, from the pod's service account. Rejects with `CredentialsError`.
 */
export async function loadCluster(options: LoadClusterOptions): Promise<Cluster> {
  const { context, env } = options;
  const paths = await kubeconfigPaths(options);
  if (paths.length > 0) {
    // Loaded lazily: a pod does not need it.
    const { readKubeconfig, kubeconfigCluster } = await import('./kubeconfig.ts');
    const kubeconfig = await readKubeconfig(paths);
    if (!isEmpty(kubeconfig) || context !== undefined) return kubeconfigCluster(kubeconfig, { context, env });
  }
  const inCluster = await loadInCluster(options);
  if (inCluster !== undefined) return withProxy(inCluster, env);
  throw new CredentialsError(
    paths.length > 0
      ? `no cluster to connect to: ${paths.join(', ')} names none, and this is not a pod with a service account`
      : `no cluster to connect to: ${whereLooked(env)}, and this is not a pod with a service account`,
  );
}

async function kubeconfigPaths({ kubeConfigPath, env }: LoadClusterOptions): Promise<readonly string[]> {
  if (kubeConfigPath !== undefined && kubeConfigPath !== '') return [kubeConfigPath];
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const home = env['HOME'] ?? '';
  const candidates = listed.length > 0 || home === '' ? listed : [join(home, '.kube', 'config')];
  const found = await Promise.all(candidates.map(exists));
  return candidates.filter((_, index) => found[index]);
}

function isEmpty({ contexts, currentContext }: Kubeconfig): boolean {
  return contexts.size === 0 && currentContext === '';
}

function whereLooked(env: Environment): string {
  const listed = env['KUBECONFIG'] ?? '';
  if (listed !== '') return `no file of KUBECONFIG (${listed}) exists`;
  return `KUBECONFIG is not set, there is no ${join(env['HOME'] ?? '~', '.kube', 'config')}`;
}

function withProxy(cluster: Cluster, env: Environment): Cluster {
  const proxy = proxyFromEnvironment(cluster.server, env);
  return proxy === undefined ? cluster : { ...cluster, proxy };
}
