import type { ConditionToSet, EventToRecord, KubernetesObject, NewObject, ReconcileAnswer } from 'hooklet';
import { readReport } from './backup-engine/report.ts';
import type { EndedContainer } from './backup-engine/seen.ts';
import type { ClusterView, EtcdBackup } from './backup.ts';
import type { Bucket } from './bucket.ts';
import { serviceUrl } from './cluster.ts';
import { enginePod } from './engine-pod.ts';
import { asGiven, BACKUP_LABEL, BACKUP_UID_LABEL } from './form.ts';
import { jobState } from './parts.ts';
import { clientSecret } from './tls/held.ts';

/** The Pods of the Jobs of a backup, as `POD_FILTER` shows them. */
export interface PodView {
  readonly backupUid: string;
  readonly waits: string;
  readonly ended: EndedContainer | null;
}

export const POD_FILTER = `
(.status.containerStatuses // []) as $all
| ([$all[].state.terminated | select(.)] | first) as $ended
| ([$all[].state.waiting | select(. and .reason != "ContainerCreating" and .reason != "PodInitializing")] | first) as $waits
| {
    backupUid: (.metadata.labels["${BACKUP_UID_LABEL}"] // ""),
    waits: (if $waits then "\\($waits.reason): \\($waits.message // "")"[:800] else "" end),
    ended: (if $ended then {container: "engine", exitCode: $ended.exitCode, reason: ($ended.reason // ""),
      message: ($ended.message // "")[:4096], at: ($ended.finishedAt // "")} else null end)
  }`;

interface Seen {
  readonly cluster: ClusterView | undefined;
  /** Its Job or its CronJob, where there is one. */
  readonly there: KubernetesObject | undefined;
  readonly given: NewObject | undefined;
  readonly pods: readonly PodView[];
}

/** A backup in a bucket, once by a Job or on a schedule by a CronJob. The engine says in its Pod what became of it. */
export function bucketAnswer(backup: EtcdBackup, bucket: Bucket, { cluster, there, given, pods }: Seen) {
  const { uid } = backup.metadata;
  const { schedule } = backup.spec;
  const children =
    // A Job cannot change; a CronJob follows the spec.
    schedule === undefined && given !== undefined
      ? [asGiven(given)]
      : cluster && [workOf(backup, bucket, cluster, schedule)];
  if (children === undefined) return undefined;
  const own = pods.filter((pod) => pod.backupUid === uid);
  const [ended] = own.flatMap((pod) => pod.ended ?? []).toSorted((a, b) => (a.at < b.at ? 1 : -1));
  const said = ended === undefined ? undefined : toldBy(ended);
  const waits = own.map((pod) => pod.waits).find((text) => text !== '');
  return { children, ...standing(backup, { said, waits, there }) };
}

type Told = Pick<ReconcileAnswer, 'status' | 'conditions' | 'events'>;

interface Said {
  readonly reason: string;
  readonly message: string;
  readonly at: string;
  readonly backup?: string;
  readonly takenAt?: string;
}

function toldBy(ended: EndedContainer): Said {
  const { reason, message, done } = readReport(ended);
  return { reason, message, at: ended.at, ...(done && { backup: done.backup, takenAt: done.takenAt }) };
}

interface Standing {
  readonly said: Said | undefined;
  readonly waits: string | undefined;
  readonly there: KubernetesObject | undefined;
}

function standing(backup: EtcdBackup, { said, waits, there }: Standing): Told {
  const { schedule } = backup.spec;
  const last = lastGood(backup, said);
  if (said !== undefined) return { ...last.told, ...outcome(said) };
  if (waits !== undefined) return { ...last.told, ...waiting(waits) };
  return { ...last.told, conditions: [unsaid(schedule, last.backup, there)] };
}

/** The last good one is told also when a later one fails. */
function lastGood({ spec, status, metadata }: EtcdBackup, said: Said | undefined) {
  const folder = spec.destination?.folder ?? `${metadata.namespace}/${spec.cluster}`;
  const { backup, takenAt } = said?.backup === undefined ? (status ?? {}) : said;
  return { backup, told: backup === undefined ? {} : { status: { backup, takenAt: takenAt ?? '', folder } } };
}

function outcome({ reason, message, at, backup }: Said): Told {
  const isGood = backup !== undefined;
  const word = isGood ? 'Saved' : reason;
  const event: EventToRecord = { type: isGood ? 'Normal' : 'Warning', reason: word, message, once: `${word}-${at}` };
  return { conditions: [ready(isGood, word, message)], events: [event] };
}

function waiting(waits: string): Told {
  const [reason = ''] = waits.split(':');
  const message = `the Pod of the backup does not begin: ${waits}`;
  const event: EventToRecord = { type: 'Warning', reason: 'PodWaits', message, once: `PodWaits-${reason}` };
  return { conditions: [ready(false, 'PodWaits', message)], events: [event] };
}

/** No Pod has said anything, or it is gone, and what became of it was told. */
function unsaid(schedule: string | undefined, last: string | undefined, there: KubernetesObject | undefined) {
  if (last !== undefined) return ready(true, 'Saved', `${last} is in the bucket`);
  if (schedule !== undefined) return ready(false, 'Scheduled', `no backup was made yet; one is due at ${schedule}`);
  if (there === undefined || jobState(there) === 'running') return ready(false, 'Saving', 'the Job saves the snapshot');
  const message = 'the Job has ended, and its Pod left no report: see its Pod, then make another EtcdBackup';
  return ready(false, 'NoReport', message);
}

function ready(is: boolean, reason: string, message: string): ConditionToSet {
  return { type: 'Ready', status: is ? 'True' : 'False', reason, message };
}

function workOf(backup: EtcdBackup, bucket: Bucket, cluster: ClusterView, schedule: string | undefined): NewObject {
  const { name, uid } = backup.metadata;
  const labels = { [BACKUP_LABEL]: name, [BACKUP_UID_LABEL]: uid };
  const { retention, timeZone = 'Etc/UTC', suspend = false } = backup.spec;
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
  const spec = {
    backoffLimit: 3,
    activeDeadlineSeconds: 6 * 3600,
    template: { metadata: { labels }, spec: pod },
  };
  const metadata = { name: `${name}-backup`, labels, annotations: {} };
  if (schedule === undefined) return asGiven({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata,
    spec: {
      schedule,
      timeZone,
      suspend,
      concurrencyPolicy: 'Forbid',
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: { metadata: { labels }, spec },
    },
  };
}
