import { createKubeClient } from '../../kube/kube-client.ts';
import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import { replicaIdentity, replacedConnections, type LeadershipOptions } from '../leadership.ts';
import { Shards, type ShardsSettings } from './shards.ts';
import { sliceHashOf } from './slice-hash-of.ts';

const MOVE_EVERY_MS = 10_000;

/** Makes this operator a member of those that divide objects; its connection is closed with `ends`. */
export function openShards(
  { leaseName: name, moveEveryMs = MOVE_EVERY_MS, isServerSide, ...times }: ShardsSettings,
  { access, userAgent, env, metrics, events, fence, log }: LeadershipOptions,
  ends: AsyncDisposableStack,
): Shards {
  const onReplaced = replacedConnections({ metrics, events, log });
  // A separate client: a renewal must wait neither for a long list nor for --kube-client-qps.
  const client = createKubeClient(access.cluster, { userAgent, onReplaced });
  ends.defer(async () => client.close());
  const namespace = ownNamespace(env, access.cluster.namespace);
  const identity = replicaIdentity(env);
  const onLeading = (): void => {
    log.info({ shards: `${namespace}/${name}`, identity }, 'leading, since this replica has slice 00');
    events.record({ type: 'Normal', reason: 'LeaderElected', message: `${identity} leads, since it has slice 00` });
  };
  const onLost = (): void =>
    events.record({ type: 'Warning', reason: 'LeaderLost', message: `${identity} lost its slices` });
  return new Shards({
    client,
    namespace,
    name,
    identity,
    times,
    moveEveryMs,
    hash: sliceHashOf({ isServerSide }),
    fence,
    metrics,
    onLeading,
    onLost,
    log,
  });
}
