import type { KubeClient } from '../kube/client.ts';
import type { Cluster } from '../kube/credentials/cluster.ts';
import type { Kinds } from '../kube/kind.ts';
import { createKinds } from '../kube/discovery/kinds.ts';
import { createKubeClient } from '../kube/kube-client.ts';
import { createWatches, type Watches } from '../kube/watch/shared-watches.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';

export interface ClusterOptions {
  /** Finds the API server and the credentials for it; rejects with `CredentialsError`. */
  readonly connect: () => Promise<Cluster>;
  readonly userAgent: string;
  /** Requests a second; absent: the server's own limit. */
  readonly qps?: number;
  readonly burst?: number;
  /** Silence after which a watch counts as dead; default 70 s, longer than between bookmarks. */
  readonly watchIdleTimeoutMs?: number;
}

/** Everything that talks to the API server. */
export interface ClusterAccess {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  readonly kinds: Kinds;
  readonly watches: Watches;
  /** Each is told when all connections were thrown away, after a silence that nothing explains. */
  readonly onReplaced: Set<(silentMs: number) => void>;
}

/** Opens the way to the cluster; nothing is sent before it is needed. */
export async function createClusterAccess(
  { connect, watchIdleTimeoutMs, ...limits }: ClusterOptions,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
): Promise<ClusterAccess> {
  const cluster = await connect();
  const onReplaced: ClusterAccess['onReplaced'] = new Set();
  const client = createKubeClient(cluster, {
    ...limits,
    onRequest: ({ verb, url, code, seconds }) => {
      metrics.requestSeconds.observe({ verb, url }, seconds);
      metrics.requestResults.inc({ code, method: verb });
    },
    onReplaced: (silentMs) => {
      metrics.connectionsReplaced.inc({});
      log.error(
        { silentSeconds: Math.round(silentMs / 1000) },
        'nothing came of requests, all connections are replaced',
      );
      for (const listener of onReplaced) listener(silentMs);
    },
    onLimited: ({ verb, url, seconds }) => metrics.rateLimiterSeconds.observe({ verb, url }, seconds),
  });
  const kinds = createKinds(client);
  const idle = watchIdleTimeoutMs === undefined ? {} : { idleTimeoutMs: watchIdleTimeoutMs };
  const watches = createWatches({ client, kinds, log, metrics, ...idle });
  return { cluster, client, kinds, watches, onReplaced };
}
