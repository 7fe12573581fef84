import type { KubernetesObject } from 'hooklet';
import type { StoredBackup } from './bucket.ts';

export const GROUP = 'etcd.hooklet.dev';

/** An EtcdCluster as the API server has it; what its schema requires is there. */
export interface EtcdCluster extends KubernetesObject {
  readonly spec: ClusterSpec;
  readonly status?: ClusterStatus;
}

export interface ClusterSpec {
  readonly replicas: number;
  readonly version: string;
  readonly image?: string;
  readonly storage: { readonly size: string; readonly storageClassName?: string };
  readonly resources?: object;
  readonly options?: ClusterOptions;
  readonly pod?: PodOptions;
  readonly defragment?: { readonly freePercent?: number; readonly least?: string };
  readonly onNoSpace?: 'Recover' | 'Tell';
  readonly repair?: { readonly after?: string };
  /** Clients and peers speak TLS; it cannot be added to a cluster or taken away. */
  readonly tls?: TlsOptions;
  /** What a new cluster begins with; of one that is there it means nothing. */
  readonly restore?: RestoreOptions;
}

/** Certificates of the operator's own, or from the Secrets that are named. */
export interface TlsOptions {
  readonly duration?: string;
  readonly authorityDuration?: string;
  readonly extraNames?: readonly string[];
  readonly secrets?: { readonly server: string; readonly peer: string; readonly client: string };
}

/** A snapshot in a volume of the same namespace, or in a bucket. */
export interface RestoreOptions {
  readonly claimName?: string;
  readonly file?: string;
  readonly s3?: StoredBackup;
}

/** What the members are started with. */
export interface ClusterOptions {
  readonly quotaBackendBytes?: number;
  readonly snapshotCount?: number;
  readonly heartbeatMilliseconds?: number;
  readonly electionMilliseconds?: number;
  readonly autoCompaction?: string;
}

/** Where and how the Pods of the members run. */
export interface PodOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly object[];
  readonly affinity?: object;
  readonly priorityClassName?: string;
}

export interface ClusterStatus {
  /** In hex; set once, when the first member answers. */
  readonly clusterID?: string;
  readonly members?: readonly MemberStatus[];
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
}

/** One member as the status tells of it. */
export interface MemberStatus {
  readonly name: string;
  readonly id: string;
  readonly role: 'leader' | 'follower' | 'learner' | 'unknown';
  readonly version: string;
  /** What its StatefulSet was made from when it was last well; absent before. */
  readonly form?: string;
  /** Since when it does not answer; absent while it does. */
  readonly failingSince?: string;
}

export const DEFAULT_IMAGE = 'gcr.io/etcd-development/etcd';
export const CLIENT_PORT = 2379;
export const PEER_PORT = 2380;
export const METRICS_PORT = 2381;
export const DEFAULT_REPAIR_AFTER = '5m';

/** The variable part of a cluster that its members' names and URLs are made of. */
export interface ClusterName {
  readonly name: string;
  readonly namespace: string;
  readonly isTls?: boolean;
}

/** The name of the member with this number, which is also that of its StatefulSet. */
export function memberName({ name }: ClusterName, number: number): string {
  return `${name}-${number}`;
}

/** The number of a member; undefined for a name that no member of this cluster has. */
export function memberNumber({ name }: ClusterName, member: string): number | undefined {
  const rest = member.startsWith(`${name}-`) ? member.slice(name.length + 1) : '';
  return /^(0|[1-9]\d{0,5})$/.test(rest) ? Number(rest) : undefined;
}

/** The name of the member in the cluster's DNS; its StatefulSet has one Pod. */
export function hostOf({ name, namespace }: ClusterName, member: string): string {
  return `${member}-0.${name}.${namespace}.svc`;
}

export function peerUrl(cluster: ClusterName, member: string): string {
  return `${schemeOf(cluster)}://${hostOf(cluster, member)}:${PEER_PORT}`;
}

export function clientUrl(cluster: ClusterName, member: string): string {
  return `${schemeOf(cluster)}://${hostOf(cluster, member)}:${CLIENT_PORT}`;
}

/** Where clients find the members that are ready. */
export function serviceUrl(cluster: ClusterName): string {
  return `${schemeOf(cluster)}://${cluster.name}-client.${cluster.namespace}.svc:${CLIENT_PORT}`;
}

export function schemeOf({ isTls = false }: ClusterName): 'http' | 'https' {
  return isTls ? 'https' : 'http';
}

/** The member whose peer URL this is; undefined where somebody else has added it. */
export function memberOfUrl(cluster: ClusterName, url: string): string | undefined {
  const [, pod = ''] = /^https?:\/\/([^.:/]+)\./.exec(url) ?? [];
  const member = pod.endsWith('-0') ? pod.slice(0, -2) : '';
  if (memberNumber(cluster, member) === undefined) return undefined;
  return peerUrl(cluster, member) === url ? member : undefined;
}

/** By number, not by letters: etcd-10 comes after etcd-9. */
export function byNumber(cluster: ClusterName): (a: { name: string }, b: { name: string }) => number {
  return (a, b) => (memberNumber(cluster, a.name) ?? 0) - (memberNumber(cluster, b.name) ?? 0);
}
