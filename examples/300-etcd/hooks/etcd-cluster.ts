// Runs etcd clusters: observes one, does one step towards what its EtcdCluster asks for or refuses, and tells.
import { reconcile, type KubernetesObject } from 'hooklet';
import { GROUP, type EtcdCluster } from './lib/cluster.ts';
import { etcdctl, etcdTools } from './lib/etcdctl.ts';
import { saveIn } from './lib/save.ts';
import { withClientFiles } from './lib/tls/client-files.ts';
import { CERTIFICATES_OF } from './lib/tls/given.ts';
import { turn } from './lib/turn.ts';

export default reconcile<EtcdCluster, { readonly given: KubernetesObject }>(
  {
    name: 'etcd-clusters',
    apiVersion: `${GROUP}/v1`,
    kind: 'EtcdCluster',
    owns: [
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
      { apiVersion: 'v1', kind: 'Secret' },
      { apiVersion: 'v1', kind: 'Service' },
      { apiVersion: 'apps/v1', kind: 'StatefulSet' },
      { apiVersion: 'batch/v1', kind: 'Job' },
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    ],
    // Certificates of the user, for members and clients of one cluster.
    watches: [
      {
        name: 'given',
        apiVersion: 'v1',
        kind: 'Secret',
        labelSelector: { matchExpressions: [{ key: CERTIFICATES_OF, operator: 'Exists' }] },
        for: `.metadata.labels["${CERTIFICATES_OF}"]`,
      },
    ],
    settings: { timeout: '5m' },
  },
  async ({ object, owned, watched, state, signal }) => {
    const { name, namespace = '' } = object.metadata;
    const folder = process.env['ETCD_SNAPSHOT_DIR'] ?? '/snapshots';
    return withClientFiles(name, owned['Secret'] ?? [], async (client) => {
      const nowMs = Date.now();
      const etcd = etcdctl(signal, client);
      const save = saveIn({ folder, namespace, name }, { etcd: etcdTools(signal, client), nowMs });
      return turn({ object, owned, etcd, save, state, nowMs, given: watched.given });
    });
  },
);
