import type { NewObject } from 'hooklet';
import { DEFAULT_IMAGE, memberName, peerUrl, type ClusterName, type ClusterSpec } from './cluster.ts';
import { asGiven, claimName, CLUSTER_LABEL } from './form.ts';
import { podSecurity, toolSecurity } from './pod-security.ts';

/** How far watches of the old cluster are left behind, so that none sees time go back. */
const BUMP = 1_000_000_000;

/** Restores a snapshot to the volume of the first member, once: etcdutl does not write where something is. */
export function restoreJobOf(cluster: ClusterName, uid: string, spec: ClusterSpec): NewObject {
  const { image = DEFAULT_IMAGE, version, restore: { claimName: from = '', file = '' } = {} } = spec;
  const member = memberName(cluster, 0);
  const url = peerUrl(cluster, member);
  const where = ['--data-dir', '/var/lib/etcd/data', '--initial-cluster-token', uid];
  const who = ['--name', member, '--initial-cluster', `${member}=${url}`, '--initial-advertise-peer-urls', url];
  const ahead = ['--bump-revision', String(BUMP), '--mark-compacted'];
  const command = ['etcdutl', 'snapshot', 'restore', `/backup/${file}`, ...where, ...who, ...ahead];
  const volumeMounts = [
    { name: 'data', mountPath: '/var/lib/etcd' },
    { name: 'backup', mountPath: '/backup', readOnly: true },
  ];
  const labels = { [CLUSTER_LABEL]: cluster.name };
  return asGiven({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `${member}-restore`, labels, annotations: {} },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          ...podSecurity,
          containers: [
            { name: 'restore', image: `${image}:v${version}`, command, volumeMounts, securityContext: toolSecurity },
          ],
          volumes: [
            { name: 'data', persistentVolumeClaim: { claimName: claimName(member) } },
            { name: 'backup', persistentVolumeClaim: { claimName: from, readOnly: true } },
          ],
        },
      },
    },
  });
}
