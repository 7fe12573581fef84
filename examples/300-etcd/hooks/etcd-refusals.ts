// Refuses EtcdClusters, backups and restores that cannot be, with what to ask for instead.
import { defineHook, validating, type KubernetesObject } from 'hooklet';
import { backupProblem, restoreProblem } from './lib/backup-problem.ts';
import type { BackupSpec } from './lib/backup.ts';
import { GROUP, type ClusterSpec } from './lib/cluster.ts';
import { changeProblem } from './lib/change-problem.ts';
import { nameProblem } from './lib/name-problem.ts';
import { restoreVersionProblem } from './lib/restore-version.ts';
import type { RestoreSpec } from './lib/restore.ts';
import { specProblem } from './lib/spec-problem.ts';

/** The kind of the request says which of them the spec is. */
type Written = KubernetesObject & { readonly spec: ClusterSpec & BackupSpec & RestoreSpec };

export default defineHook({
  bindings: {
    [`clusters.${GROUP}`]: validating<Written>({
      rules: [
        {
          apiGroups: [GROUP],
          apiVersions: ['v1'],
          resources: ['etcdclusters', 'etcdbackups', 'etcdrestores'],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
      timeoutSeconds: 5,
    }),
  },
  run({ contexts, answer }) {
    for (const { request } of contexts) {
      const [object, old] = [request.object ?? undefined, request.oldObject ?? undefined];
      // What is being deleted only loses its finalizers.
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) continue;
      const named = old === undefined && request.kind.kind !== 'EtcdRestore';
      const name = named ? nameProblem('metadata.name', object.metadata.name) : undefined;
      const problem = name ?? problemOf(request.kind.kind, object, old);
      if (problem !== undefined) return answer.deny(problem);
    }
    answer.allow();
  },
});

function problemOf(kind: string, object: Written, old: Written | undefined): string | undefined {
  switch (kind) {
    case 'EtcdBackup':
      return backupProblem(object.spec, Date.now());
    case 'EtcdRestore':
      return restoreProblem(object.spec);
    default:
      return (
        specProblem(object.spec) ??
        (old === undefined ? restoreVersionProblem(object.spec) : changeProblem(object, old))
      );
  }
}
