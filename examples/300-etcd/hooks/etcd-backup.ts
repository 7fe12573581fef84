// Saves what an EtcdCluster has to a volume: an EtcdBackup is one snapshot, saved once.
import { reconcile } from 'hooklet';
import { backupAnswer, type ClusterView, type EtcdBackup } from './lib/backup.ts';
import { GROUP } from './lib/cluster.ts';

export default reconcile<EtcdBackup, { readonly clusters: ClusterView }>(
  {
    name: 'etcd-backups',
    apiVersion: `${GROUP}/v1`,
    kind: 'EtcdBackup',
    owns: [{ apiVersion: 'batch/v1', kind: 'Job' }],
    watches: [
      {
        name: 'clusters',
        apiVersion: `${GROUP}/v1`,
        kind: 'EtcdCluster',
        for: '"*"',
        jqFilter: '{name: .metadata.name, namespace: .metadata.namespace, spec}',
      },
    ],
  },
  ({ object, owned, watched }) => backupAnswer(object, watched.clusters, owned['Job.batch'] ?? []),
);
