import type { KubernetesObject, NewObject } from 'hooklet';
import type { ClusterSpec, ClusterStatus, EtcdCluster } from '../../../examples/300-etcd/hooks/lib/cluster.ts';

/** An object in the API server. */
export interface Stored {
  readonly uid: string;
  readonly given: NewObject;
  generation: number;
}

interface State {
  readonly name: string;
  readonly isReady: boolean;
  readonly conditions: readonly object[];
}

/** The object as its controller has it: a StatefulSet whose Pod is ready, or is another one than it should be. */
export function asSeen({ uid, given, generation }: Stored, { name, isReady, conditions }: State): KubernetesObject {
  return {
    ...given,
    metadata: { ...given.metadata, name, uid, generation, resourceVersion: '1', creationTimestamp: '' },
    status: {
      observedGeneration: generation,
      readyReplicas: isReady ? 1 : 0,
      currentRevision: 'a',
      updateRevision: isReady ? 'a' : 'b',
      conditions,
    },
  };
}

interface Asked {
  readonly spec: ClusterSpec;
  readonly status: ClusterStatus;
  readonly deletionTimestamp: string | undefined;
}

/** The EtcdCluster. */
export function clusterOf({ spec, status, deletionTimestamp }: Asked): EtcdCluster {
  const named = { name: 'etcd', namespace: 'db', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  const metadata = { ...named, ...(deletionTimestamp !== undefined && { deletionTimestamp }) };
  return { apiVersion: 'etcd.hooklet.dev/v1', kind: 'EtcdCluster', metadata, spec, status };
}
