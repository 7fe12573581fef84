import { hostname } from 'node:os';
import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import type { Environment } from '../../kube/environment.ts';
import { createKubeClient } from '../../kube/kube-client.ts';
import type { Fence } from '../../lib/fence.ts';
import type { Metrics } from '../../metrics.ts';
import type { ClusterAccess, ClusterOptions } from '../cluster-access.ts';
import { RunLocks, type RunLocksOptions } from './run-locks.ts';

export interface OpenLocksParts {
  readonly access: Pick<ClusterAccess, 'cluster'>;
  readonly metrics: Metrics;
  readonly fence: Fence;
}

/** Returns what opens the locks of hooks; their connection is made at the first request, and closed with `ends`. */
export function openLocks(
  { cluster: { userAgent }, env, lockTimes: times }: OpenLocksSettings,
  { access: { cluster }, metrics, fence }: OpenLocksParts,
  ends: AsyncDisposableStack,
): (waiting: RunLocksOptions['waiting']) => RunLocks {
  return (waiting) => {
    // A separate client: a renewal must wait neither for a long list nor for --kube-client-qps.
    const client = createKubeClient(cluster, { userAgent });
    ends.defer(async () => client.close());
    const { POD_NAME: pod = '' } = env;
    const host = pod === '' ? hostname() : pod;
    const namespace = ownNamespace(env, cluster.namespace);
    return new RunLocks({ client, namespace, host, waiting, metrics, fence, ...(times && { times }) });
  };
}

export interface OpenLocksSettings {
  readonly cluster: Pick<ClusterOptions, 'userAgent'>;
  readonly env: Environment;
  /** How long a holder may be silent; default: as long as the locks of everybody. */
  readonly lockTimes?: RunLocksOptions['times'];
}
