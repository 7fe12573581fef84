import type { NewObject } from 'hooklet';
import { secondsOf } from './backup-engine/spec.ts';
import type { StoredBackup } from './bucket.ts';
import { DEFAULT_IMAGE, memberName, peerUrl, type ClusterName, type ClusterSpec } from './cluster.ts';
import { DEADLINE, enginePod } from './engine-pod.ts';
import { asGiven, claimName, CLUSTER_LABEL } from './form.ts';
import { podSecurity, toolSecurity } from './pod-security.ts';

/** How far watches of the old cluster are left behind, so that none sees time go back. */
const BUMP = 1_000_000_000;

/** How many Pods may fail. */
const RESTORE_RETRIES = 3;

/**
 * Restores a snapshot to the volume of the first member. A Pod that comes after one that failed writes nothing where
 * something is: etcdutl refuses a data folder that is not empty, and the script of the engine renames its own when it is
 * whole.
 */
export function restoreJobOf(cluster: ClusterName, uid: string, spec: ClusterSpec): NewObject {
  const { image = DEFAULT_IMAGE, version, restore: { claimName: from = '', file = '', s3 } = {} } = spec;
  const member = memberName(cluster, 0);
  const url = peerUrl(cluster, member);
  const where = ['--data-dir', '/var/lib/etcd/data', '--initial-cluster-token', uid];
  const who = ['--name', member, '--initial-cluster', `${member}=${url}`, '--initial-advertise-peer-urls', url];
  if (s3 !== undefined) return jobOf(cluster, DEADLINE, fetchPod(cluster, s3, [...where, ...who]));
  const ahead = ['--bump-revision', String(BUMP), '--mark-compacted'];
  const command = ['etcdutl', 'snapshot', 'restore', `/backup/${file}`, ...where, ...who, ...ahead];
  const volumeMounts = [
    { name: 'data', mountPath: '/var/lib/etcd' },
    { name: 'backup', mountPath: '/backup', readOnly: true },
  ];
  return jobOf(cluster, '1h', {
    ...podSecurity,
    containers: [
      { name: 'restore', image: `${image}:v${version}`, command, volumeMounts, securityContext: toolSecurity },
    ],
    volumes: [data(member), { name: 'backup', persistentVolumeClaim: { claimName: from, readOnly: true } }],
  });
}

/** The script of solutions/backup brings the snapshot from the bucket, checks it, and bumps the revision in the same way. */
function fetchPod(cluster: ClusterName, stored: StoredBackup, flags: readonly string[]): object {
  const { of, backup, ...bucket } = stored;
  const { containers, volumes, securityContext, ...spec } = enginePod({
    namespace: cluster.namespace,
    of,
    bucket,
    endpoints: [],
  });
  const chosen = [
    ...(backup === undefined ? [] : ['--backup', backup]),
    ...(bucket.takeOver === undefined ? [] : ['--take-over', bucket.takeOver]),
  ];
  return {
    ...spec,
    securityContext: { ...securityContext, ...podSecurity.securityContext },
    containers: containers.map((engine) => ({
      ...engine,
      name: 'restore',
      command: ['bash', '/restore/etcd.sh', ...chosen, ...flags],
      volumeMounts: [...engine.volumeMounts, { name: 'data', mountPath: '/var/lib/etcd' }],
    })),
    volumes: [...volumes, data(memberName(cluster, 0))],
  };
}

function data(member: string): object {
  return { name: 'data', persistentVolumeClaim: { claimName: claimName(member) } };
}

function jobOf(cluster: ClusterName, deadline: string, pod: object): NewObject {
  const labels = { [CLUSTER_LABEL]: cluster.name };
  return asGiven({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `${memberName(cluster, 0)}-restore`, labels, annotations: {} },
    spec: {
      backoffLimit: RESTORE_RETRIES,
      // What finds no node or no volume has failed in the end.
      activeDeadlineSeconds: secondsOf(deadline),
      // Two never write at once.
      podReplacementPolicy: 'Failed',
      template: { spec: { restartPolicy: 'Never', ...pod } },
    },
  });
}
