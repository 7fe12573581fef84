// Makes a new EtcdCluster from an EtcdBackup, and says how far it is.
import { reconcile } from 'hooklet';
import { GROUP } from './lib/cluster.ts';
import { RESTORE, restoreAnswer, type BackupView, type EtcdRestore, type RestoredView } from './lib/restore.ts';

interface Watched {
  readonly backups: BackupView;
  readonly clusters: RestoredView;
}

export default reconcile<EtcdRestore, Watched>(
  {
    name: 'etcd-restores',
    apiVersion: `${GROUP}/v1`,
    kind: 'EtcdRestore',
    watches: [
      {
        name: 'backups',
        apiVersion: `${GROUP}/v1`,
        kind: 'EtcdBackup',
        for: '"*"',
        jqFilter: `{name: .metadata.name, namespace: .metadata.namespace, spec,
          status: ((.status // {}) | {file, backup} | with_entries(select(.value)))}`,
      },
      {
        name: 'clusters',
        apiVersion: `${GROUP}/v1`,
        kind: 'EtcdCluster',
        for: '"*"',
        jqFilter: `{name: .metadata.name, namespace: .metadata.namespace,
          restore: (.metadata.annotations["${RESTORE}"] // ""), conditions: (.status.conditions // [])}`,
      },
    ],
  },
  ({ object, watched, patch }) => {
    const { condition, create } = restoreAnswer(object, watched);
    if (create !== undefined) patch.createIfNotExists(create);
    return { conditions: [condition] };
  },
);
