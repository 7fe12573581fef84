import type { KubernetesObject, NewObject, ReconcileAnswer } from 'hooklet';
import { DEFAULT_IMAGE, serviceUrl, type ClusterSpec } from './cluster.ts';
import { backupProblem } from './backup-problem.ts';
import { bucketAnswer, type AroundBucket } from './bucket-backup.ts';
import type { Bucket } from './bucket.ts';
import { asGiven, BACKUP_LABEL, GIVEN } from './form.ts';
import { givenIn, jobState } from './parts.ts';
import { podSecurity, toolSecurity } from './pod-security.ts';
import { clientMount } from './tls/client-files.ts';

export interface EtcdBackup extends KubernetesObject {
  readonly spec: BackupSpec;
  readonly status?: BackupStatus;
}

export interface BackupStatus {
  readonly file?: string;
  readonly backup?: string;
  readonly takenAt?: string;
  readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
}

/** A claim or a bucket; a schedule has a bucket. */
export interface BackupSpec {
  readonly cluster: string;
  readonly claimName?: string;
  readonly destination?: Bucket;
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly suspend?: boolean;
  readonly retention?: { readonly keep?: number; readonly keepDays?: number };
}

/** What a backup knows of a cluster. */
export interface ClusterView {
  readonly name: string;
  readonly namespace: string;
  readonly spec: ClusterSpec;
}

/** What there is around a backup. */
export interface AroundBackup extends AroundBucket {
  readonly clusters: readonly ClusterView[];
  /** Its Job or its CronJob. */
  readonly there: KubernetesObject | undefined;
}

/** The answer for an EtcdBackup: a Job saves one snapshot to a volume and reads it again, or Jobs save to a bucket. */
export function backupAnswer(backup: EtcdBackup, around: AroundBackup): ReconcileAnswer {
  const problem = backupProblem(backup.spec, Date.now());
  if (problem !== undefined) return { refused: { reason: 'InvalidSpec', message: problem } };
  const { namespace = '' } = backup.metadata;
  const { cluster: name, destination } = backup.spec;
  const cluster = around.clusters.find((one) => one.name === name && one.namespace === namespace);
  const { there } = around;
  const given = there && givenIn(there.metadata.annotations?.[GIVEN] ?? '', 'batch/v1', 'Job');
  const done =
    destination === undefined
      ? claimAnswer(backup, { cluster, there, given })
      : bucketAnswer(backup, destination, { ...around, cluster, given });
  if (done !== undefined) return done;
  const message = `there is no EtcdCluster ${name} in the namespace ${namespace}: set spec.cluster to one that is there`;
  return answer('False', 'NoCluster', { message });
}

interface ClaimSeen {
  readonly cluster: ClusterView | undefined;
  readonly there: KubernetesObject | undefined;
  readonly given: NewObject | undefined;
}

function claimAnswer(backup: EtcdBackup, { cluster, there, given }: ClaimSeen): ReconcileAnswer | undefined {
  if (given !== undefined && there !== undefined) return told(backup, { job: there, children: [asGiven(given)] });
  if (cluster === undefined) return undefined;
  return answer('False', 'Saving', { message: 'the Job begins', children: [backupJob(backup, cluster)] });
}

interface Found {
  readonly job: KubernetesObject;
  readonly children: readonly NewObject[];
}

/** The file of a backup in its volume. */
export function fileOf({ metadata }: EtcdBackup): string {
  return `${metadata.name}.db`;
}

function told(backup: EtcdBackup, { job, children }: Found): ReconcileAnswer {
  const name = job.metadata.name;
  switch (jobState(job)) {
    case 'running':
      return answer('False', 'Saving', { message: `Job ${name} saves the snapshot and reads it again`, children });
    case 'done':
      return {
        ...answer('True', 'Saved', { message: 'the snapshot is there, and was read again whole', children }),
        status: { file: fileOf(backup), claimName: backup.spec.claimName ?? '' },
      };
    case 'failed':
      return answer('False', 'BackupFailed', {
        message: `Job ${name} has failed: see its Pod, then make another EtcdBackup`,
        children,
      });
  }
}

interface Said {
  readonly message: string;
  readonly children?: readonly NewObject[];
}

function answer(status: 'True' | 'False', reason: string, { message, children }: Said): ReconcileAnswer {
  return { ...(children && { children }), conditions: [{ type: 'Ready', status, reason, message }] };
}

function backupJob(backup: EtcdBackup, { name, namespace, spec }: ClusterView): NewObject {
  const { image = DEFAULT_IMAGE, version } = spec;
  const file = `/backup/${fileOf(backup)}`;
  const client = spec.tls && clientMount(name);
  const common = {
    image: `${image}:v${version}`,
    volumeMounts: [{ name: 'backup', mountPath: '/backup' }, ...(client ? [client.mount] : [])],
    ...(client && { env: client.env }),
    securityContext: toolSecurity,
  };
  const endpoint = serviceUrl({ name, namespace, isTls: spec.tls !== undefined });
  const save = ['etcdctl', '--endpoints', endpoint, 'snapshot', 'save', file];
  return asGiven({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${backup.metadata.name}-backup`,
      labels: { [BACKUP_LABEL]: backup.metadata.name },
      annotations: {},
    },
    spec: {
      backoffLimit: 3,
      // What finds no node or no volume has failed in the end.
      activeDeadlineSeconds: 3600,
      template: {
        spec: {
          restartPolicy: 'Never',
          ...podSecurity,
          initContainers: [{ name: 'save', command: save, ...common }],
          containers: [{ name: 'verify', command: ['etcdutl', 'snapshot', 'status', file, '-w', 'json'], ...common }],
          volumes: [
            { name: 'backup', persistentVolumeClaim: { claimName: backup.spec.claimName ?? '' } },
            ...(client ? [client.volume] : []),
          ],
        },
      },
    },
  });
}
