// Runs etcd clusters: observes one, does one step towards what its EtcdCluster asks for or refuses, and tells.
import { reconcile } from 'hooklet';
import { GROUP, type EtcdCluster } from './lib/cluster.ts';
import { etcdctl } from './lib/etcdctl.ts';
import { saveIn } from './lib/save.ts';
import { turn } from './lib/turn.ts';

export default reconcile<EtcdCluster>(
  {
    name: 'etcd-clusters',
    apiVersion: `${GROUP}/v1`,
    kind: 'EtcdCluster',
    owns: [
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
      { apiVersion: 'v1', kind: 'Service' },
      { apiVersion: 'apps/v1', kind: 'StatefulSet' },
      { apiVersion: 'batch/v1', kind: 'Job' },
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    ],
    settings: { timeout: '5m' },
  },
  async ({ object, owned, state, signal }) => {
    const { name, namespace = '' } = object.metadata;
    const save = saveIn(process.env['ETCD_SNAPSHOT_DIR'] ?? '/snapshots', `${namespace}.${name}`, signal);
    return turn({ object, owned, etcd: etcdctl(signal), save, state, nowMs: Date.now() });
  },
);
