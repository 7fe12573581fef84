import type { KubernetesObject, NewObject, ReconcileAnswer } from 'hooklet';
import { DEFAULT_IMAGE, GROUP, serviceUrl, type ClusterSpec } from './cluster.ts';
import { asGiven, GIVEN } from './form.ts';
import { givenIn, jobState } from './parts.ts';
import { podSecurity, toolSecurity } from './pod-security.ts';
import { clientMount } from './tls/client-files.ts';

export interface EtcdBackup extends KubernetesObject {
  readonly spec: { readonly cluster: string; readonly claimName: string };
  readonly status?: { readonly file?: string };
}

/** What a backup knows of a cluster. */
export interface ClusterView {
  readonly name: string;
  readonly namespace: string;
  readonly spec: ClusterSpec;
}

export const BACKUP_LABEL = `${GROUP}/backup`;

/** One snapshot: a Job saves it to the volume and reads it again whole. */
export function backupAnswer(backup: EtcdBackup, clusters: readonly ClusterView[], jobs: readonly KubernetesObject[]) {
  const { namespace = '' } = backup.metadata;
  const [job] = jobs;
  const given = job && givenIn(job.metadata.annotations?.[GIVEN] ?? '', 'batch/v1', 'Job');
  if (given !== undefined && job !== undefined) return told(backup, { job, children: [asGiven(given)] });
  const cluster = clusters.find((one) => one.name === backup.spec.cluster && one.namespace === namespace);
  if (cluster === undefined) {
    const message = `there is no EtcdCluster ${backup.spec.cluster} in the namespace ${namespace}: set spec.cluster to one that is there`;
    return answer('False', 'NoCluster', { message });
  }
  const children = [backupJob(backup, cluster)];
  return answer('False', 'Saving', { message: 'the Job begins', children });
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
        status: { file: fileOf(backup), claimName: backup.spec.claimName },
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
            { name: 'backup', persistentVolumeClaim: { claimName: backup.spec.claimName } },
            ...(client ? [client.volume] : []),
          ],
        },
      },
    },
  });
}
