import type { ClusterSpec, EtcdCluster } from './cluster.ts';
import { tlsChange } from './tls/tls-problem.ts';
import { versionProblem } from './version-problem.ts';

/** Why an EtcdCluster cannot become another one; undefined where it can. */
export function changeProblem({ spec, status }: EtcdCluster, old: EtcdCluster): string | undefined {
  const storage = storageChange(spec.storage, old.spec.storage);
  if (storage !== undefined) return storage;
  const tls = tlsChange(spec, old.spec.tls !== undefined);
  if (tls !== undefined) return tls;
  if (JSON.stringify(spec.restore) !== JSON.stringify(old.spec.restore)) {
    return 'spec.restore cannot change: a snapshot is restored into a new cluster alone, so make another EtcdCluster';
  }
  if (spec.version === old.spec.version) return undefined;
  const versions = (status?.members ?? []).map(({ version }) => version).filter((version) => version !== '');
  return versionProblem(versions, spec.version);
}

type Storage = ClusterSpec['storage'];

/** Not the size: the hook compares it with the volumes, so that one that no volume ever had can be taken back. */
function storageChange({ storageClassName }: Storage, before: Storage): string | undefined {
  if (before.storageClassName === storageClassName) return undefined;
  return `spec.storage.storageClassName is ${storageClassName ?? 'absent'}, but was ${before.storageClassName ?? 'absent'}, and the class of a volume cannot change: set it back, or restore a backup into a new cluster`;
}
