import { etcdError, type Alarms, type Etcd, type Member, type Status } from './etcd.ts';
import { readState, type RepairRecord, type State } from './record.ts';
import type { Updates } from './revision.ts';
import type { Settings } from './settings.ts';

export interface SetSummary {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly state: string;
  /** When members were replaced lately. */
  readonly repairs: string;
  /** Whether it has annotations at all. */
  readonly annotated: boolean;
  readonly paused: boolean;
  readonly replicas: number;
  readonly service: string;
  readonly claim: string;
  readonly updates: Updates;
}

export interface PodSummary {
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
  /** When it should have been gone; empty when it is not deleted. */
  readonly endsAt: string;
  readonly node: string;
  readonly ready: boolean;
  /** What its kubelet said last. A node that no longer answers has its Pods be not ready, and this stays. */
  readonly containersReady: boolean;
  readonly outOfMemory: boolean;
  /** Why its container does not run, such as `ImagePullBackOff`; empty when it does. */
  readonly waitsFor: string;
  /** Why no node takes it; empty when one does. */
  readonly unschedulable: string;
  readonly revision: string;
}

export interface ClaimSummary {
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
}

export interface MarkerSummary {
  readonly state: string | null;
}

export interface ClusterObjects {
  readonly statefulset: SetSummary;
  readonly pods: readonly PodSummary[];
  readonly claims: readonly ClaimSummary[];
  readonly marker: MarkerSummary | undefined;
  /** The names of those that the hook made. */
  readonly events: readonly string[];
}

/** The member of one Pod, found by its peer URL. */
export interface PodMember {
  readonly pod: string;
  readonly peerUrl: string;
  readonly endpoint: string;
  readonly member: Member | undefined;
  readonly status: Status | undefined;
  /** Why there is no status. */
  readonly error: string;
  /** It answers and knows the leader that all follow. */
  readonly answers: boolean;
  /** It is a voter besides, and nothing is known against it. */
  readonly isWell: boolean;
}

/** Everything that decisions are made of. */
export interface Facts {
  readonly nowMs: number;
  readonly objects: ClusterObjects;
  readonly state: State;
  readonly record: RepairRecord | undefined;
  readonly pods: readonly PodMember[];
  /** Undefined when nobody with quorum behind it could list them. */
  readonly members: readonly Member[] | undefined;
  readonly alarms: Alarms;
  readonly leader: string;
  /** Since when a Pod's member is not well. */
  readonly unhealthySince: Readonly<Record<string, string>>;
  /** Those that are so for long enough. */
  readonly failed: readonly string[];
  /** The Pod whose member is replaced, or would be. */
  readonly target: PodMember | undefined;
  /** As it is in Kubernetes, with the claim of its data; undefined where there is none at the moment. */
  readonly targetPod: PodSummary | undefined;
  readonly targetClaim: ClaimSummary | undefined;
}

const NO_ALARMS: Alarms = { corrupt: [], noSpace: [] };

/** Kubernetes by the snapshots of the run, etcd by asking it now. */
export async function observe(settings: Settings, etcd: Etcd, objects: ClusterObjects): Promise<Facts> {
  const nowMs = Date.now();
  const { statefulset } = objects;
  const state = readState(statefulset.state);
  const domain = settings.domain ?? `${statefulset.service}.${settings.namespace}.svc`;
  const names = Array.from({ length: statefulset.replicas }, (_, at) => `${settings.statefulset}-${at}`);
  // All at once: one that is cut off must not keep the others waiting.
  const answers = await Promise.all(names.map(async (pod) => askPod(settings, etcd, { pod, domain })));
  const { leader, term, endpoints } = leadership(answers);
  const { members, alarms } = await askCluster(etcd, endpoints);
  const pods = answers.map((answer) => podMember(answer, { members, alarms, leader, term }));
  const since = pods
    .filter(({ isWell }) => !isWell)
    .map(({ pod }) => [pod, state.unhealthy[pod] ?? isoSeconds(nowMs)] as const);
  const unhealthySince = Object.fromEntries(since);
  const failed = since.filter(([, at]) => Date.parse(at) + settings.repairAfterMs <= nowMs).map(([pod]) => pod);
  // Else what it holds would keep all others from being replaced.
  const accused = pods.filter(({ member }) => alarms.corrupt.includes(member?.id ?? '')).map(({ pod }) => pod);
  const record = state.repair;
  const named =
    record?.pod ?? (since.length === 1 ? since[0]?.[0] : (failed.find((pod) => accused.includes(pod)) ?? failed[0]));
  const target =
    pods.find(({ pod }) => pod === named) ??
    (record && podMember(offline(settings, record.pod, domain), { members, alarms, leader, term }));
  const facts = {
    nowMs,
    objects,
    state,
    record,
    pods,
    members,
    alarms,
    leader,
    unhealthySince,
    failed,
  };
  return { ...facts, ...aimedAt(settings, objects, target) };
}

/** What of a Pod has to go with its member. */
export function aimedAt(
  settings: Settings,
  { statefulset, pods, claims }: ClusterObjects,
  target: PodMember | undefined,
): Pick<Facts, 'target' | 'targetPod' | 'targetClaim'> {
  const claim = `${settings.dataClaim ?? statefulset.claim}-${target?.pod}`;
  return {
    target,
    targetPod: pods.find(({ name }) => name === target?.pod),
    targetClaim: claims.find(({ name }) => name === claim),
  };
}

interface Answer {
  readonly pod: string;
  readonly peerUrl: string;
  readonly endpoint: string;
  readonly status: Status | undefined;
  readonly error: string;
}

function offline(settings: Settings, pod: string, domain: string): Answer {
  return {
    pod,
    peerUrl: `${settings.peerScheme}://${pod}.${domain}:${settings.peerPort}`,
    endpoint: `${settings.clientScheme}://${pod}.${domain}:${settings.clientPort}`,
    status: undefined,
    error: 'not asked',
  };
}

async function askPod(
  settings: Settings,
  etcd: Etcd,
  { pod, domain }: { readonly pod: string; readonly domain: string },
): Promise<Answer> {
  const unasked = offline(settings, pod, domain);
  try {
    return { ...unasked, status: await etcd.status(unasked.endpoint), error: '' };
  } catch (error) {
    return { ...unasked, error: etcdError(error) };
  }
}

function leadership(answers: readonly Answer[]) {
  const led = answers.filter(({ status }) => (status?.leader ?? '') !== '');
  const term = Math.max(0, ...led.map(({ status }) => status?.term ?? 0));
  const current = led.filter(({ status }) => status?.term === term);
  const leader = current[0]?.status?.leader ?? '';
  const voters = current.filter(({ status }) => status?.isLearner === false);
  return { leader, term, endpoints: followersFirst(voters, leader).map(({ endpoint }) => endpoint) };
}

/** A follower has more time. */
export function followersFirst<T extends { readonly status: Status | undefined }>(
  voters: readonly T[],
  leader: string,
): readonly T[] {
  const rank = ({ status }: T): number => (status?.memberId === leader ? 1 : 0);
  return voters.toSorted((a, b) => rank(a) - rank(b));
}

async function askCluster(etcd: Etcd, endpoints: readonly string[]) {
  if (endpoints.length === 0) return { members: undefined, alarms: NO_ALARMS };
  try {
    return { members: await etcd.members(endpoints), alarms: await etcd.alarms(endpoints) };
  } catch {
    return { members: undefined, alarms: NO_ALARMS };
  }
}

interface ClusterView {
  readonly members: readonly Member[] | undefined;
  readonly alarms: Alarms;
  readonly leader: string;
  readonly term: number;
}

function podMember(answer: Answer, view: ClusterView): PodMember {
  const { status, peerUrl } = answer;
  const { members, alarms } = view;
  const member = members?.find(({ peerUrls }) => peerUrls.includes(peerUrl));
  const answers = status !== undefined && followsLeader(status, view);
  // A pod that answers for a member that was removed is none.
  const isListed = members === undefined || (member !== undefined && status?.memberId === member.id);
  return { ...answer, member, answers, isWell: answers && isListed && isSound(member, alarms) };
}

function isSound(member: Member | undefined, { corrupt }: Alarms): boolean {
  return member === undefined || (!member.isLearner && !corrupt.includes(member.id));
}

function followsLeader(status: Status, { leader, term }: ClusterView): boolean {
  // Alarms stand in the errors of every member, whoever they are about.
  const hasOnlyAlarms = status.errors.every((error) => error.includes('alarm:'));
  return leader !== '' && status.leader === leader && status.term === term && hasOnlyAlarms;
}

/** Of those who are well, to be asked for what all know. */
export function wellEndpoints(facts: Facts): readonly string[] {
  const well = facts.pods.filter(({ isWell }) => isWell);
  return followersFirst(well, facts.leader).map(({ endpoint }) => endpoint);
}

/** Which all have that are well. */
export function commonRevision({ pods }: Facts): number {
  return Math.min(...pods.filter(({ isWell }) => isWell).map(({ status }) => status?.revision ?? 0));
}

/** As Kubernetes writes times. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
