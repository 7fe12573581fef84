import { setTimeout as sleep } from 'node:timers/promises';
import { httpText, httpUrl, type MemberAccess } from './member-access.ts';

/** What the other members report about a member that the hook does not reach. */
export interface PeersView {
  /** `undefined` when no member could be asked. */
  readonly isSeen: boolean | undefined;
  /** For people: which members see it, and how that is known. */
  readonly said: string;
}

/** A member that is not reached. */
export interface Unreached {
  readonly pod: string;
  readonly member: { readonly id: string } | undefined;
}

/** All members, the one that is not reached among them, and the id of the leader. */
export interface Peers {
  readonly pods: readonly Peer[];
  readonly leader: string;
}

export interface Peer extends Unreached {
  readonly endpoint: string;
  /** Whether it answers and knows the leader that all follow. */
  readonly answers: boolean;
}

type Access = MemberAccess & { readonly signal: AbortSignal };

const BETWEEN_MS = 1500;

/**
 * The leader knows how much of its log each member has accepted. A member that now has what was committed a moment ago
 * answers the leader. An open connection would prove little, because a hanging process keeps its connections. Never
 * rejects.
 */
export async function peersView({ pods, leader: id }: Peers, target: Unreached, access: Access): Promise<PeersView> {
  const { pod, member } = target;
  const others = pods.filter((other) => other.pod !== pod && other.answers);
  if (member !== undefined && id === member.id) {
    return { isSeen: true, said: `${others.map((other) => other.pod).join(' and ')} follow it as their leader` };
  }
  const leader = others.find((other) => other.member?.id === id);
  if (leader === undefined) return { isSeen: undefined, said: 'there is no leader that could be asked' };
  try {
    return await leaderView(leader, member?.id ?? '', access);
  } catch (error) {
    const [why = ''] = String(error).split('\n');
    return {
      isSeen: undefined,
      said: `the leader ${leader.pod} could not be asked (${httpUrl(access, leader.endpoint, '/debug/vars').href}: ${why.slice(0, 200)})`,
    };
  }
}

async function leaderView(leader: Peer, id: string, access: Access): Promise<PeersView> {
  const { commit } = await raftStatus(leader.endpoint, access);
  await sleep(BETWEEN_MS, undefined, { signal: access.signal });
  const { progress } = await raftStatus(leader.endpoint, access);
  const known = progress[id];
  // A member that has just stopped leading lists no progress.
  if (known === undefined) throw new Error(`it knows nothing of the member ${id}`);
  const { state = 'none', match = 0 } = known;
  const isSeen = state === 'StateReplicate' && match >= commit;
  const sees = isSeen ? 'sees it' : 'does not see it';
  return { isSeen, said: `the leader ${leader.pod} ${sees}: it has ${match} of ${commit} of the log (${state})` };
}

interface RaftStatus {
  readonly commit: number;
  readonly progress: Readonly<Record<string, { readonly match?: number; readonly state?: string }>>;
}

async function raftStatus(endpoint: string, access: Access): Promise<RaftStatus> {
  const vars = JSON.parse(await httpText(access, endpoint, '/debug/vars')) as {
    readonly 'raft.status'?: Partial<RaftStatus>;
  };
  const { commit, progress } = vars['raft.status'] ?? {};
  if (commit === undefined || progress === undefined) throw new Error('it has no raft.status with commit and progress');
  return { commit, progress };
}
