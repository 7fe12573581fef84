import { setTimeout as sleep } from 'node:timers/promises';
import { etcdError, type Etcd } from './etcd.ts';
import { followersFirst, type Facts, type PodMember } from './facts.ts';

/** What a voter holds at the revision all were asked for. */
export interface VoterData {
  readonly pod: string;
  /** Undefined where it gave none. */
  readonly hash: number | undefined;
  /** Hashes say something of each other only where this is the same. */
  readonly compactRevision: number;
  /** Why there is no hash. */
  readonly error: string;
}

export interface Comparison {
  readonly revision: number;
  readonly voters: readonly VoterData[];
}

/** Whom to ask, and who is known to answer. */
export interface Voters {
  readonly etcd: Pick<Etcd, 'status' | 'hashAt' | 'signal'>;
  readonly facts: Pick<Facts, 'pods' | 'leader'>;
}

const TRIES = 3;
const PAUSE_MS = 1000;

/** Asks all voters at one revision, and again where the answers do not agree: one may have been behind. */
export async function compareVoters(voters: Voters): Promise<Comparison> {
  let found = await compareOnce(voters);
  for (let tries = 1; tries < TRIES && !isPlain(found, voters.facts); tries++) {
    await sleep(PAUSE_MS, undefined, { signal: voters.etcd.signal });
    found = await compareOnce(voters);
  }
  return found;
}

/** Whether all who answer the hook gave a hash, and the same. */
function isPlain({ voters }: Comparison, facts: Voters['facts']): boolean {
  const given = new Set(voters.filter(isGiven).map(({ hash, compactRevision }) => `${hash} ${compactRevision}`));
  return given.size === 1 && silentVoters({ voters }, facts).length === 0;
}

/** Those who gave no hash though they answer. */
export function silentVoters({ voters }: Pick<Comparison, 'voters'>, facts: Voters['facts']): readonly VoterData[] {
  const answering = facts.pods.filter(({ status }) => status !== undefined).map(({ pod }) => pod);
  return voters.filter((voter) => !isGiven(voter) && answering.includes(voter.pod));
}

export function isGiven<T extends VoterData>(voter: T): voter is T & { readonly hash: number } {
  return voter.hash !== undefined;
}

/** For people: each voter with what it said. */
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
  // One after the other: a member takes in no writes while it reads all it has. Who was not there is not waited for.
  for (const voter of followersFirst(voters, facts.leader)) answers.push(await dataOf(etcd, voter, revision));
  return { revision, voters: answers.toSorted((a, b) => a.pod.localeCompare(b.pod)) };
}

async function revisionOf(etcd: Voters['etcd'], { endpoint, status }: PodMember): Promise<number | undefined> {
  if (status === undefined) return undefined;
  return etcd.status(endpoint).then(
    ({ revision }) => revision,
    () => undefined,
  );
}

async function dataOf(etcd: Voters['etcd'], voter: PodMember, revision: number): Promise<VoterData> {
  const none = { pod: voter.pod, hash: undefined, compactRevision: 0 };
  if (voter.status === undefined) return { ...none, error: voter.error };
  try {
    const { hash, compactRevision } = await etcd.hashAt(voter.endpoint, revision);
    return { pod: voter.pod, hash, compactRevision, error: '' };
  } catch (error) {
    return { ...none, error: etcdError(error) };
  }
}
