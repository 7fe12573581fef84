// Saves what an EtcdCluster has to a volume or a bucket: once, or on a schedule.
import { reconcile } from 'hooklet';
import { endJob, waitsBefore } from './lib/backup-engine/late.ts';
import { jobFilter, podFilter, type SeenJob, type SeenPod } from './lib/backup-engine/seen.ts';
import { backupAnswer, type ClusterView, type EtcdBackup } from './lib/backup.ts';
import { GROUP } from './lib/cluster.ts';
import { BACKUP_LABEL, BACKUP_UID_LABEL } from './lib/form.ts';

interface Watched {
  readonly clusters: ClusterView;
  readonly jobs: SeenJob;
  readonly pods: SeenPod;
}

const labelSelector = { matchExpressions: [{ key: BACKUP_LABEL, operator: 'Exists' }] };
const whose = `.metadata.labels["${BACKUP_LABEL}"]`;
const [jobs, pods] = [jobFilter(BACKUP_UID_LABEL), podFilter(BACKUP_UID_LABEL)];

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
      { name: 'jobs', apiVersion: 'batch/v1', kind: 'Job', labelSelector, for: whose, jqFilter: jobs },
      { name: 'pods', apiVersion: 'v1', kind: 'Pod', labelSelector, for: whose, jqFilter: pods },
    ],
  },
  (run) => {
    const { object, owned, watched, patch } = run;
    const [there] = [...(owned['CronJob.batch'] ?? []), ...(owned['Job.batch'] ?? [])];
    return backupAnswer(object, { ...watched, there, before: waitsBefore(run), end: (job) => endJob(job, patch) });
  },
);
