import { createHash } from 'node:crypto';
import type { NewObject } from 'hooklet';
import {
  CLIENT_PORT,
  clientUrl,
  DEFAULT_IMAGE,
  GROUP,
  memberNumber,
  METRICS_PORT,
  PEER_PORT,
  peerUrl,
  schemeOf,
  type ClusterName,
  type ClusterSpec,
  type PodOptions,
} from './cluster.ts';
import type { Wanted } from './observed.ts';
import { podSecurity, toolSecurity } from './pod-security.ts';
import { memberEnvironment, memberMounts, memberVolumes, trustAnnotations } from './tls/mount.ts';
import type { Trust } from './tls/trust.ts';

/** On a StatefulSet: the name of what it was made from, the version in it, and the object as it was given. */
export const FORM = `${GROUP}/form`;
export const VERSION = `${GROUP}/version`;
export const GIVEN = `${GROUP}/given`;
const MEMBER_LABEL = `${GROUP}/member`;
export const CLUSTER_LABEL = `${GROUP}/cluster`;
/** On the Jobs and Pods of a backup: the EtcdBackup, and its uid. */
export const BACKUP_LABEL = `${GROUP}/backup`;
export const BACKUP_UID_LABEL = `${GROUP}/backup-uid`;

/**
 * A hash of what the user asks for in the Pod of a member. Nothing in it depends on the version of this hook, so another
 * version restarts no member.
 */
export function formOf(
  { version, image = DEFAULT_IMAGE, resources = {}, options = {}, pod = {} }: ClusterSpec,
  trust: Trust | undefined,
): string {
  // Absent without TLS, where the form is what it was before there was any.
  const text = JSON.stringify(sorted({ version, image, resources, options, pod, ...(trust && { trust }) }));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The same values with the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** The StatefulSet of one member. It has one Pod, so that each member can be changed and taken away by itself. */
export function memberSet(cluster: ClusterName, member: string, { spec, form, trust }: Wanted): NewObject {
  const labels = { [CLUSTER_LABEL]: cluster.name, [MEMBER_LABEL]: String(memberNumber(cluster, member)) };
  const { pod = {} } = spec;
  const given = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: member, labels, annotations: { [FORM]: form, [VERSION]: spec.version } },
    spec: {
      replicas: 1,
      serviceName: cluster.name,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels: { ...pod.labels, ...labels },
          annotations: { ...pod.annotations, [FORM]: form, ...(trust && trustAnnotations(trust)) },
        },
        spec: podSpec(cluster, member, spec),
      },
    },
  };
  return asGiven(given);
}

/** The same object, which carries itself. */
export function asGiven(given: NewObject): NewObject {
  const annotations = { ...given.metadata.annotations, [GIVEN]: JSON.stringify(given) };
  return { ...given, metadata: { ...given.metadata, annotations } };
}

function podSpec(cluster: ClusterName, member: string, spec: ClusterSpec): object {
  return {
    ...podSecurity,
    terminationGracePeriodSeconds: 30,
    ...placement(cluster, spec.pod ?? {}),
    containers: [container(cluster, member, spec)],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: claimName(member) } },
      ...(cluster.isTls === true ? memberVolumes(member) : []),
    ],
  };
}

/** Apart from each other where that is possible, unless the user says where. */
function placement({ name }: ClusterName, pod: PodOptions): object {
  const { nodeSelector, tolerations, priorityClassName } = pod;
  const podAffinityTerm = {
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchLabels: { [CLUSTER_LABEL]: name } },
  };
  const apart = {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] },
  };
  return {
    affinity: pod.affinity ?? apart,
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(priorityClassName !== undefined && { priorityClassName }),
  };
}

function container(cluster: ClusterName, member: string, spec: ClusterSpec): object {
  const { image = DEFAULT_IMAGE, version, resources = {} } = spec;
  const probe = (path: string) => ({ httpGet: { path, port: 'metrics' }, timeoutSeconds: 5 });
  return {
    name: 'etcd',
    image: `${image}:v${version}`,
    command: ['etcd'],
    env: Object.entries(environment(cluster, member, spec)).map(([name, value]) => ({ name, value })),
    // Read at each start of the container, so that what is in it can change without a restart.
    envFrom: [{ configMapRef: { name: member } }],
    ports: [
      { name: 'client', containerPort: CLIENT_PORT },
      { name: 'peer', containerPort: PEER_PORT },
      { name: 'metrics', containerPort: METRICS_PORT },
    ],
    startupProbe: { ...probe('/livez'), periodSeconds: 5, failureThreshold: 60 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
    resources,
    securityContext: toolSecurity,
    volumeMounts: [{ name: 'data', mountPath: '/var/lib/etcd' }, ...(cluster.isTls === true ? memberMounts : [])],
  };
}

function environment(cluster: ClusterName, member: string, { options = {} }: ClusterSpec): Record<string, string> {
  const chosen = {
    ETCD_QUOTA_BACKEND_BYTES: options.quotaBackendBytes,
    ETCD_SNAPSHOT_COUNT: options.snapshotCount,
    ETCD_HEARTBEAT_INTERVAL: options.heartbeatMilliseconds,
    ETCD_ELECTION_TIMEOUT: options.electionMilliseconds,
    ETCD_AUTO_COMPACTION_MODE: options.autoCompaction === undefined ? undefined : 'periodic',
    ETCD_AUTO_COMPACTION_RETENTION: options.autoCompaction,
  };
  const given = Object.entries(chosen).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return {
    ETCD_NAME: member,
    ETCD_DATA_DIR: '/var/lib/etcd/data',
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peerUrl(cluster, member),
    ETCD_ADVERTISE_CLIENT_URLS: clientUrl(cluster, member),
    ETCD_LISTEN_PEER_URLS: `${schemeOf(cluster)}://0.0.0.0:${PEER_PORT}`,
    ETCD_LISTEN_CLIENT_URLS: `${schemeOf(cluster)}://0.0.0.0:${CLIENT_PORT}`,
    ETCD_LISTEN_METRICS_URLS: `http://0.0.0.0:${METRICS_PORT}`,
    ...(cluster.isTls === true && memberEnvironment),
    ...Object.fromEntries(given),
  };
}

export function claimName(member: string): string {
  return `data-${member}`;
}
