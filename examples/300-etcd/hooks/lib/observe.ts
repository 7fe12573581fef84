import type { KubernetesObject } from 'hooklet';
import { byNumber, clientUrl, memberNumber, memberOfUrl, type ClusterName, type EtcdCluster } from './cluster.ts';
import type { EndpointStatus, EtcdPort } from './etcd-port.ts';
import type { Alarms, Member as ListedMember } from './etcd-repair/etcd.ts';
import type { Memory } from './memory.ts';
import type { Member, Observed } from './observed.ts';
import { partsOf, restoreOf } from './parts.ts';
import { tlsView, type TlsView } from './tls/view.ts';

type Owned = Readonly<Record<string, readonly KubernetesObject[]>>;

/** What Kubernetes has of the cluster, and what etcd says of it. */
export async function observe(object: EtcdCluster, owned: Owned, etcd: EtcdPort, at: ObserveAt): Promise<Observed> {
  const { nowMs, memory } = at;
  const { name, uid, namespace = 'default' } = object.metadata;
  const parts = partsOf({ name, namespace }, owned);
  const cluster: ClusterName = { name, namespace, isTls: speaksTls(object, parts) };
  const before = object.status?.members ?? [];
  const asked = [...new Set([...parts, ...before].map((one) => one.name))].filter(
    (one) => memberNumber(cluster, one) !== undefined,
  );
  const answers = await ask(cluster, etcd, asked);
  // Without quorum the cluster id is not recorded: the first member may still be made anew.
  const found = answers.listed === undefined ? undefined : answers.statuses[0]?.clusterId;
  return {
    cluster,
    uid,
    nowMs,
    clusterId: object.status?.clusterID ?? found,
    silent: asked.filter((one) => !answers.statuses.some(({ endpoint }) => endpoint === clientUrl(cluster, one))),
    before,
    parts,
    ...restoreOf(owned['Job.batch'] ?? []),
    members: answers.listed && membersOf(cluster, answers.listed, answers),
    alarms: alarmsIn(answers.statuses),
    memory,
    ...(await tlsOf(object, owned, etcd, { ...at, cluster, asked })),
  };
}

/** Whether members use TLS now; the spec decides only before the first one exists. */
function speaksTls({ spec }: EtcdCluster, parts: Observed['parts']): boolean {
  const sets = parts.flatMap(({ set }) => (set === undefined ? [] : [set]));
  return sets.length === 0 ? spec.tls !== undefined : sets.some(({ trust }) => trust !== undefined);
}

interface ObserveAt {
  readonly nowMs: number;
  readonly memory: Memory;
  /** Secrets of the user for this cluster. */
  readonly given: readonly KubernetesObject[];
}

interface TlsAt extends ObserveAt {
  readonly cluster: ClusterName;
  readonly asked: readonly string[];
}

async function tlsOf(
  object: EtcdCluster,
  owned: Owned,
  etcd: EtcdPort,
  at: TlsAt,
): Promise<{ readonly tls?: TlsView }> {
  const { cluster, asked, nowMs, given } = at;
  if (cluster.isTls !== true) return {};
  const served = await etcd.served(asked.map((name) => clientUrl(cluster, name))).catch(() => []);
  return { tls: tlsView(object, { secrets: owned['Secret'] ?? [], given, served, nowMs }) };
}

interface Answers {
  readonly listed: readonly ListedMember[] | undefined;
  readonly statuses: readonly EndpointStatus[];
  readonly healthy: readonly string[];
}

async function ask(cluster: ClusterName, etcd: EtcdPort, names: readonly string[]): Promise<Answers> {
  const urls = names.map((name) => clientUrl(cluster, name));
  const statuses = urls.length === 0 ? [] : await etcd.statuses(urls).catch(() => []);
  const answering = statuses.map(({ endpoint }) => endpoint);
  if (answering.length === 0) return { listed: undefined, statuses: [], healthy: [] };
  const listed = await etcd.members(answering).catch(() => undefined);
  const healthy = listed === undefined ? [] : await etcd.healthy(answering).catch(() => []);
  return { listed, statuses, healthy };
}

function membersOf(cluster: ClusterName, listed: readonly ListedMember[], answers: Answers): readonly Member[] {
  // The leader that most members name: a member that was cut off may still name an older one.
  const leader = mostSaid(answers.statuses.map((status) => status.leader));
  return listed
    .map(({ id, name, peerUrls, isLearner }) => {
      const [url = ''] = peerUrls;
      const member = memberOfUrl(cluster, url) ?? url;
      const status = answers.statuses.find(({ memberId }) => memberId === id);
      const answersReads = status !== undefined && answers.healthy.includes(status.endpoint);
      return {
        id,
        name: member,
        isStarted: name !== '',
        isLearner,
        isLeader: leader === id,
        // A learner answers no such reads.
        isHealthy: isLearner ? status !== undefined : answersReads,
        ...saidBy(status),
      };
    })
    .toSorted(byNumber(cluster));
}

function saidBy(status: EndpointStatus | undefined) {
  const { version = '', revision = 0, databaseBytes = 0, databaseBytesInUse = 0 } = status ?? {};
  return { version, revision, databaseBytes, databaseBytesInUse };
}

function mostSaid(leaders: readonly string[]): string {
  const known = leaders.filter((leader) => leader !== '');
  const votes = Map.groupBy(known, (leader) => leader);
  return [...votes].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? '';
}

/** Each member tells the alarms of all, such as `memberID:123 alarm:NOSPACE`. */
function alarmsIn(statuses: readonly EndpointStatus[]): Alarms {
  const told = statuses
    .flatMap(({ errors }) => errors)
    .flatMap((text) => [...text.matchAll(/memberID:(\d+)\s+alarm:(\w+)/g)]);
  const of = (kind: string): readonly string[] => [
    ...new Set(told.filter(([, , alarm]) => alarm === kind).map(([, id = '0']) => BigInt(id).toString(16))),
  ];
  return { noSpace: of('NOSPACE'), corrupt: of('CORRUPT') };
}
