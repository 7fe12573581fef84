import { etcdError, followersFirst, type Alarms, type Etcd, type Member, type Status } from './etcd.ts';

/** Where the member of a Pod should be. */
export interface Seat {
  readonly pod: string;
  readonly peerUrl: string;
  readonly endpoint: string;
}

/** The member of one Pod, found by its peer URL. */
export interface PodMember extends Seat {
  readonly member: Member | undefined;
  readonly status: Status | undefined;
  /** Why the status could not be read. */
  readonly error: string;
  /** Whether it answers and knows the leader that all follow. */
  readonly answers: boolean;
  /** Whether it also is a voter, and nothing is known to be wrong with it. */
  readonly isWell: boolean;
}

/** What etcd says of itself. */
export interface ClusterView {
  readonly pods: readonly PodMember[];
  /** `undefined` when no member with quorum could list them. */
  readonly members: readonly Member[] | undefined;
  readonly alarms: Alarms;
  /** The id of the leader with the highest term; empty when none is known. */
  readonly leader: string;
  readonly term: number;
}

const NO_ALARMS: Alarms = { corrupt: [], noSpace: [] };

/** Asks all members, in parallel, so that one that is not reached does not delay the others; never rejects. */
export async function viewOf(etcd: Etcd, seats: readonly Seat[]): Promise<ClusterView> {
  const answers = await Promise.all(seats.map(async (seat) => askPod(etcd, seat)));
  const { leader, term, endpoints } = leadership(answers);
  const view = { leader, term, ...(await askCluster(etcd, endpoints)) };
  return { ...view, pods: answers.map((answer) => podMember(answer, view)) };
}

/** The member of a Pod that was not asked. */
export function unasked(seat: Seat, view: ClusterView): PodMember {
  return podMember({ ...seat, status: undefined, error: 'not asked' }, view);
}

/** Whether it runs: it answers, or it has started and cannot check a password, as no learner can. */
export function isLearning({ member, answers, error }: Pick<PodMember, 'member' | 'answers' | 'error'>): boolean {
  const isUp = answers || error.includes('rpc not supported for learner');
  return member?.isLearner === true && member.name !== '' && isUp;
}

interface Answer extends Seat {
  readonly status: Status | undefined;
  readonly error: string;
}

async function askPod(etcd: Etcd, seat: Seat): Promise<Answer> {
  try {
    return { ...seat, status: await etcd.status(seat.endpoint), error: '' };
  } catch (error) {
    return { ...seat, status: undefined, error: etcdError(error) };
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

type Said = Omit<ClusterView, 'pods'>;

function podMember(answer: Answer, view: Said): PodMember {
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

function followsLeader(status: Status, { leader, term }: Said): boolean {
  // Every member reports all alarms among its errors, also those about other members.
  const hasOnlyAlarms = status.errors.every((error) => error.includes('alarm:'));
  return leader !== '' && status.leader === leader && status.term === term && hasOnlyAlarms;
}
