import { setTimeout as sleep } from 'node:timers/promises';
import { etcdError, followersFirst, type Etcd, type Member, type Status } from './etcd.ts';

/** A member that may be a voter, and whether it answered when it was last asked for its status. */
export interface MemberToCompare {
  readonly pod: string;
  readonly endpoint: string;
  readonly member: Pick<Member, 'isLearner'> | undefined;
  readonly status: Pick<Status, 'memberId'> | undefined;
  /** Why it did not answer. */
  readonly error: string;
}

/** The hash of a voter's data at the common revision. */
export interface VoterData {
  readonly pod: string;
  /** `undefined` when the voter returned none. */
  readonly hash: number | undefined;
  /** Hashes can be compared only if this is the same. */
  readonly compactRevision: number;
  /** Why there is no hash. */
  readonly error: string;
}

export interface Comparison {
  readonly revision: number;
  readonly voters: readonly VoterData[];
}

/** The members of which the voters are asked, the leader last. */
export interface Voters {
  readonly etcd: Pick<Etcd, 'status' | 'hashAt' | 'signal'>;
  readonly facts: { readonly pods: readonly MemberToCompare[]; readonly leader: string };
}

const TRIES = 3;
const PAUSE_MS = 1000;

/** Asks all voters at one revision, and again if the answers differ, because one may have been behind. */
export async function compareVoters(voters: Voters): Promise<Comparison> {
  let found = await compareOnce(voters);
  for (let tries = 1; tries < TRIES && !isPlain(found, voters.facts); tries++) {
    await sleep(PAUSE_MS, undefined, { signal: voters.etcd.signal });
    found = await compareOnce(voters);
  }
  return found;
}

/** Whether all voters that answer the hook returned the same hash. */
function isPlain({ voters }: Comparison, facts: Voters['facts']): boolean {
  const given = new Set(voters.filter(isGiven).map(({ hash, compactRevision }) => `${hash} ${compactRevision}`));
  return given.size === 1 && silentVoters({ voters }, facts).length === 0;
}

/** The voters that answer but returned no hash. */
export function silentVoters({ voters }: Pick<Comparison, 'voters'>, facts: Voters['facts']): readonly VoterData[] {
  const answering = facts.pods.filter(({ status }) => status !== undefined).map(({ pod }) => pod);
  return voters.filter((voter) => !isGiven(voter) && answering.includes(voter.pod));
}

export function isGiven<T extends VoterData>(voter: T): voter is T & { readonly hash: number } {
  return voter.hash !== undefined;
}

/** Each voter with its answer, for people. */
export function tableOf({ voters }: Comparison): string {
  const lines = voters.map((voter) =>
    isGiven(voter)
      ? `${voter.pod} has hash ${voter.hash}${voter.compactRevision > 0 ? ` (compacted at ${voter.compactRevision})` : ''}`
      : `${voter.pod} gave none: ${voter.error}`,
  );
  return lines.join(', ');
}

async function compareOnce({ etcd, facts }: Voters): Promise<Comparison> {
  const voters = facts.pods.filter(({ member }) => member?.isLearner === false);
  const revisions = await Promise.all(voters.map(async (voter) => revisionOf(etcd, voter)));
  const revision = Math.min(...revisions.filter((found) => found !== undefined));
  const answers: VoterData[] = [];
  // One after the other, because a member accepts no writes while it reads all its data. Voters that did not answer
  // before are not waited for.
  for (const voter of followersFirst(voters, facts.leader)) answers.push(await dataOf(etcd, voter, revision));
  return { revision, voters: answers.toSorted((a, b) => a.pod.localeCompare(b.pod)) };
}

async function revisionOf(etcd: Voters['etcd'], { endpoint, status }: MemberToCompare): Promise<number | undefined> {
  if (status === undefined) return undefined;
  return etcd.status(endpoint).then(
    ({ revision }) => revision,
    () => undefined,
  );
}

async function dataOf(etcd: Voters['etcd'], voter: MemberToCompare, revision: number): Promise<VoterData> {
  const none = { pod: voter.pod, hash: undefined, compactRevision: 0 };
  if (voter.status === undefined) return { ...none, error: voter.error };
  try {
    const { hash, compactRevision } = await etcd.hashAt(voter.endpoint, revision);
    return { pod: voter.pod, hash, compactRevision, error: '' };
  } catch (error) {
    return { ...none, error: etcdError(error) };
  }
}
