import type { KubeClient } from '../kube/client.ts';
import type { Cluster } from '../kube/credentials/cluster.ts';
import type { Kinds } from '../kube/kind.ts';
import { createKinds } from '../kube/discovery/kinds.ts';
import type { RequestReport } from '../kube/exchange.ts';
import { createKubeClient } from '../kube/kube-client.ts';
import { createWatches, type Watches } from '../kube/watch/shared-watches.ts';
import type { SliceHash } from '../lib/slice-hash.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';

export interface ClusterOptions {
  /** Finds the API server and the credentials for it; rejects with `CredentialsError`. */
  readonly connect: () => Promise<Cluster>;
  readonly userAgent: string;
  /** Requests per second; absent: no limit but the server's. */
  readonly qps?: number;
  readonly burst?: number;
  /** Silence after which a watch counts as dead; default 70 s, which is longer than between two bookmarks. */
  readonly watchIdleTimeoutMs?: number;
  /** After this long the server ends a watch; default 5 to 10 minutes. */
  readonly watchSeconds?: number;
}

/**
 * Everything that talks to the API server, except the requests for the lease. `runOperator` creates one for all hooks,
 * so that they share one pool of connections, one discovery of kinds, and one watch for each target. Its creator
 * closes it: `watches.ended()`, then `client.close()`.
 */
export interface ClusterAccess {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  /** The same client, for the patches of hooks. */
  readonly patchClient: KubeClient;
  readonly kinds: Kinds;
  readonly watches: Watches;
  /** Listeners that are called when all connections were replaced, after a silence that nothing explains. */
  readonly onReplaced: Set<(silentMs: number) => void>;
}

export interface AccessParts {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** What slices of objects are by; default `mixed`. */
  readonly sliceHash?: SliceHash | undefined;
  /** Makes of the client the one that everything uses, such as for a dry run. */
  readonly wrap?: ((client: KubeClient) => KubeClient) | undefined;
}

/** Finds the cluster with `connect`; no request is sent to the API server before one is needed. */
export async function createClusterAccess(
  { connect, watchIdleTimeoutMs, watchSeconds, ...limits }: ClusterOptions,
  { log, metrics, sliceHash, wrap = (client) => client }: AccessParts,
): Promise<ClusterAccess> {
  const cluster = await connect();
  const onReplaced: ClusterAccess['onReplaced'] = new Set();
  const plain = createKubeClient(cluster, {
    ...limits,
    onRequest: requestCounter(cluster, metrics),
    onReplaced: (silentMs) => {
      metrics.connectionsReplaced.inc({});
      log.error(
        { silentSeconds: Math.round(silentMs / 1000) },
        'requests got no response, all connections are replaced',
      );
      for (const listener of onReplaced) listener(silentMs);
    },
    onLimited: ({ verb, url, seconds }) => metrics.rateLimiterSeconds.observe({ verb, url }, seconds),
  });
  const client = wrap(plain);
  const kinds = createKinds(client);
  const idle = watchIdleTimeoutMs === undefined ? {} : { idleTimeoutMs: watchIdleTimeoutMs };
  const watches = createWatches({ client, kinds, log, metrics, watchSeconds, sliceHash, ...idle });
  return { cluster, client, patchClient: patchClientOf(client), kinds, watches, onReplaced };
}

/** As in shell-operator, `main` counts every request; those of patches are counted once more on their own. */
function requestCounter(cluster: Cluster, metrics: Metrics): (report: RequestReport) => void {
  const host = hostOf(cluster);
  return ({ verb, url, code, component, seconds }) => {
    metrics.requestSeconds.observe({ verb, url, component: 'main' }, seconds);
    metrics.requestResults.inc({ code, method: verb, host, component: 'main' });
    if (component !== 'object_patcher') return;
    metrics.patchSeconds.observe({ verb, url, component }, seconds);
    metrics.patchResults.inc({ code, method: verb, host, component });
  };
}

/** In a pod the address always has its port, which a URL leaves out where it is that of its scheme. */
function hostOf({ name, server: { host, port } }: Cluster): string {
  return name === 'in-cluster' && port === '' ? `${host}:443` : host;
}

function patchClientOf(client: KubeClient): KubeClient {
  return {
    ...client,
    request: async (request, signal) => client.request({ ...request, component: 'object_patcher' }, signal),
    bytes: async (request, signal) => client.bytes({ ...request, component: 'object_patcher' }, signal),
  };
}
