import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Environment } from '../kube/environment.ts';
import type { EventRecorder } from '../kube/coordination/event-recorder.ts';
import { createKubeClient } from '../kube/kube-client.ts';
import { LeaderElection, type ElectionStatus, type LeaderElectionTimes } from '../kube/coordination/leader-election.ts';
import { ownNamespace } from '../kube/coordination/own-pod.ts';
import type { Fence } from '../lib/fence.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { replacedEvent } from './open-events.ts';

/** How replicas agree which of them runs hooks. */
export interface LeaderElectionSettings extends LeaderElectionTimes {
  readonly leaseName: string;
}

export interface LeadershipOptions {
  readonly access: Pick<ClusterAccess, 'cluster'>;
  readonly userAgent: string;
  readonly env: Environment;
  readonly metrics: Metrics;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly fence: Fence;
  readonly log: Logger;
}

/**
 * Makes this operator a candidate for the lease; its connection is closed with `ends`. `runOperator` runs the election
 * until the last run has ended, and the operator waits for `leading`.
 *
 * - standing-by: hooks are loaded, and none is run or watches anything. `/readyz` says whether this replica could lead.
 * - leading: hooks run. Recorded as the Event `LeaderElected`.
 * - lost: another replica may lead, so running hooks are ended without a grace period. Recorded as `LeaderLost`. Where
 *   this process stands still, the fence ends them.
 */
export function openLeadership(
  { leaseName: name, ...times }: LeaderElectionSettings,
  { access, userAgent, env, metrics, events, fence, log }: LeadershipOptions,
  ends: AsyncDisposableStack,
): LeaderElection {
  const onReplaced = replacedConnections({ metrics, events, log });
  // A separate client: a renewal must wait neither for a long list nor for --kube-client-qps.
  const client = createKubeClient(access.cluster, { userAgent, onReplaced });
  ends.defer(async () => client.close());
  const namespace = ownNamespace(env, access.cluster.namespace);
  const identity = replicaIdentity(env);
  const lease = `${namespace}/${name}`;
  const onChange = ({ type }: ElectionStatus): void => {
    metrics.leaderElectionStatus.set({ name }, type === 'leading' ? 1 : 0);
    if (type === 'leading') {
      log.info({ lease, identity }, 'leading');
      events.record({ type: 'Normal', reason: 'LeaderElected', message: `${identity} leads by the lease ${lease}` });
    } else if (type === 'lost') {
      events.record({ type: 'Warning', reason: 'LeaderLost', message: `${identity} lost the lease ${lease}` });
    }
  };
  metrics.leaderElectionStatus.set({ name }, 0);
  return new LeaderElection({ ...times, client, namespace, name, identity, onChange, fence, log });
}

/** A name for this process that no other has, also none of the same Pod. */
export function replicaIdentity({ POD_NAME: podName = '' }: Environment): string {
  return `${podName === '' ? hostname() : podName}_${randomUUID()}`;
}

/** Reports that connections for the lease were replaced. */
export function replacedConnections({
  metrics,
  events,
  log,
}: Pick<LeadershipOptions, 'metrics' | 'events' | 'log'>): (silentMs: number) => void {
  return (silentMs) => {
    metrics.connectionsReplaced.inc({});
    log.error(
      { silentSeconds: Math.round(silentMs / 1000) },
      'requests for the lease got no response, their connections are replaced',
    );
    events.record(replacedEvent('requests for the lease', silentMs));
  };
}

/** As `refusalOf`, also right after this process stood still, when another replica may lead by now. */
export function refusalNow(leadership: Pick<LeaderElection, 'check' | 'status'> | undefined): string | undefined {
  leadership?.check();
  return refusalOf(leadership?.status);
}

/** Why this replica refuses a change that only the leader may make; undefined on the leader and without election. */
export function refusalOf(status: ElectionStatus | undefined): string | undefined {
  if (status === undefined || status.type === 'leading') return undefined;
  if (status.type === 'lost') return 'this replica lost the lease and is stopping';
  const { leader } = status;
  if (leader === '') return 'this replica stands by, and no leader is known';
  return `this replica stands by, ${leader} leads; ask that one, such as: kubectl exec ${leader.replace(/_[^_]*$/, '')} -- hooklet status`;
}
