import type { NewObject, ReconcileAnswer } from 'hooklet';
import { cronJobOf } from './backup-engine/jobs.ts';
import { lateJobs, type Waits } from './backup-engine/late.ts';
import type { SeenJob, SeenPod } from './backup-engine/seen.ts';
import { secondsOf } from './backup-engine/spec.ts';
import type { ClusterView, EtcdBackup } from './backup.ts';
import type { Bucket } from './bucket.ts';
import { standing } from './bucket-standing.ts';
import { serviceUrl } from './cluster.ts';
import { DEADLINE, enginePod, START_TIMEOUT } from './engine-pod.ts';
import { asGiven, BACKUP_LABEL, BACKUP_UID_LABEL } from './form.ts';
import { clientSecret } from './tls/held.ts';

/** What there is around a backup in a bucket. */
export interface AroundBucket {
  readonly jobs: readonly SeenJob[];
  readonly pods: readonly SeenPod[];
  /** For how long Jobs were watched that wait for their Pod. */
  readonly before: Waits | undefined;
  /** Ends a Job of the CronJob. */
  readonly end: (job: SeenJob) => void;
}

interface Seen extends AroundBucket {
  readonly cluster: ClusterView | undefined;
  readonly given: NewObject | undefined;
}

/**
 * A backup in a bucket, once by a Job or on a schedule by a CronJob. The engine says in its Pod what became of it. A Job
 * whose Pod does not begin is ended.
 */
export function bucketAnswer(backup: EtcdBackup, bucket: Bucket, seen: Seen): ReconcileAnswer | undefined {
  const { uid } = backup.metadata;
  const isOwn = ({ backupUid }: { readonly backupUid: string }): boolean => backupUid === uid;
  const [jobs, pods] = [seen.jobs.filter(isOwn), seen.pods.filter(isOwn)];
  // Its Pods may be gone when what they saved is known, and their Job may not be told as ended yet.
  const isSaved = backup.spec.schedule === undefined && backup.status?.backup !== undefined;
  const awaited = isSaved ? [] : jobs;
  const { late, waits } = lateJobs(secondsOf(START_TIMEOUT), { jobs: awaited, pods, before: seen.before });
  const children = childrenOf(backup, bucket, { ...seen, isOver: [...jobs.filter(isEnded), ...late].length > 0 });
  if (children === undefined) return undefined;
  if (backup.spec.schedule !== undefined) for (const job of late) seen.end(job);
  return {
    children,
    ...standing(backup, { jobs, pods, late }),
    ...(waits !== undefined && { retryAfter: `${waits.again}s`, output: waits }),
  };
}

/** By `lateJobs`. */
function isEnded({ deadline }: SeenJob): boolean {
  return deadline === 1;
}

/** A Job is given again as it was, as it cannot change but for its deadline; a CronJob follows the spec. */
function childrenOf(
  backup: EtcdBackup,
  bucket: Bucket,
  { cluster, given, isOver }: Seen & { readonly isOver: boolean },
): readonly NewObject[] | undefined {
  if (backup.spec.schedule !== undefined || given === undefined) return cluster && [workOf(backup, bucket, cluster)];
  if (!isOver) return [asGiven(given)];
  return [asGiven({ ...given, spec: { ...Object(given['spec']), activeDeadlineSeconds: 1 } })];
}

function workOf(backup: EtcdBackup, bucket: Bucket, cluster: ClusterView): NewObject {
  const { uid } = backup.metadata;
  const name = `${backup.metadata.name}-backup`;
  const labels = { [BACKUP_LABEL]: backup.metadata.name, [BACKUP_UID_LABEL]: uid };
  const { schedule, retention, timeZone = 'Etc/UTC', suspend = false } = backup.spec;
  const { namespace } = cluster;
  const isTls = cluster.spec.tls !== undefined;
  const pod = enginePod({
    namespace,
    of: cluster.name,
    bucket,
    endpoints: [serviceUrl({ name: cluster.name, namespace, isTls })],
    ...(isTls && { tlsSecretName: clientSecret(cluster.name) }),
    ...(retention && { retention }),
  });
  const template = { metadata: { labels }, spec: pod };
  const job = { backoffLimit: 3, activeDeadlineSeconds: secondsOf(DEADLINE), template };
  if (schedule !== undefined) return cronJobOf({ name, labels, schedule, timeZone, suspend, job });
  return asGiven({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, labels, annotations: {} }, spec: job });
}
