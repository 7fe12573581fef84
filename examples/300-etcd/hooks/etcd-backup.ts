// Saves what an EtcdCluster has to a volume or a bucket: once, or on a schedule.
import { reconcile } from 'hooklet';
import { backupAnswer, type ClusterView, type EtcdBackup } from './lib/backup.ts';
import { POD_FILTER, type PodView } from './lib/bucket-backup.ts';
import { GROUP } from './lib/cluster.ts';
import { BACKUP_LABEL } from './lib/form.ts';

interface Watched {
  readonly clusters: ClusterView;
  readonly pods: PodView;
}

export default reconcile<EtcdBackup, Watched>(
  {
    name: 'etcd-backups',
    apiVersion: `${GROUP}/v1`,
    kind: 'EtcdBackup',
    owns: [
      { apiVersion: 'batch/v1', kind: 'CronJob' },
      { apiVersion: 'batch/v1', kind: 'Job' },
    ],
    watches: [
      {
        name: 'clusters',
        apiVersion: `${GROUP}/v1`,
        kind: 'EtcdCluster',
        for: '"*"',
        jqFilter: '{name: .metadata.name, namespace: .metadata.namespace, spec}',
      },
      {
        name: 'pods',
        apiVersion: 'v1',
        kind: 'Pod',
        labelSelector: { matchExpressions: [{ key: BACKUP_LABEL, operator: 'Exists' }] },
        for: `.metadata.labels["${BACKUP_LABEL}"]`,
        jqFilter: POD_FILTER,
      },
    ],
  },
  ({ object, owned, watched }) => {
    const [there] = [...(owned['CronJob.batch'] ?? []), ...(owned['Job.batch'] ?? [])];
    return backupAnswer(object, { ...watched, there });
  },
);
