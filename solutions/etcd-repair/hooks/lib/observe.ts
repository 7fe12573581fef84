import { etcdError, type Alarms, type Etcd, type Member, type Status } from './etcd.ts';
import { followersFirst, isoSeconds, type ClusterObjects, type Facts, type PodMember } from './facts.ts';
import { readState } from './record.ts';
import type { Settings } from './settings.ts';

const NO_ALARMS: Alarms = { corrupt: [], noSpace: [] };

/** Collects the facts: about Kubernetes from the snapshots of the run, about etcd with requests. */
export async function observe(settings: Settings, etcd: Etcd, objects: ClusterObjects): Promise<Facts> {
  const nowMs = Date.now();
  const { statefulset } = objects;
  const state = readState(statefulset.state, nowMs);
  const domain = settings.domain ?? `${statefulset.service}.${settings.namespace}.svc`;
  const names = Array.from({ length: statefulset.replicas }, (_, at) => `${settings.statefulset}-${at}`);
  // In parallel, so that an unreachable member does not delay the others.
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
  // Every member reports all alarms among its errors, also those about other members.
  const hasOnlyAlarms = status.errors.every((error) => error.includes('alarm:'));
  return leader !== '' && status.leader === leader && status.term === term && hasOnlyAlarms;
}
