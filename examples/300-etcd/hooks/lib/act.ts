import { etcdError, etcdSaid } from './etcd-repair/etcd.ts';
import type { SnapshotSource } from './etcd-repair/new-snapshot.ts';
import { clientUrl, peerUrl } from './cluster.ts';
import type { EtcdPort } from './etcd-port.ts';
import type { Observed } from './observed.ts';
import { dataProblem, seenProblem } from './data.ts';
import { isDeed, isSpaceDeed, wait, type Certify, type Deed, type SpaceDeed, type Step } from './step.ts';

/** Saves what a member has before another one is removed; rejects where that is not possible. */
export type Save = (source: SnapshotSource) => Promise<void>;

interface Hands {
  readonly etcd: EtcdPort;
  readonly save: Save;
}

/** Does what a step asks of etcd; returns the step, or why it has to wait. What was done before counts as done. */
export async function act(step: Step, observed: Observed, hands: Hands): Promise<Step> {
  if (!isDeed(step) || step.do === 'certify') return step;
  try {
    const problem = await problemOf(step, observed, hands.etcd);
    if (problem !== undefined) return problem;
    await (isSpaceDeed(step) ? makeRoom(step, observed, hands.etcd) : effectOf(step, observed, hands));
    return step;
  } catch (error) {
    const said = etcdSaid(error);
    if (said.includes('in sync with leader')) {
      return wait('CatchingUp', `${step.member} copies the data of the others, and is promoted when it has them`);
    }
    if (DONE_BEFORE.some((text) => said.includes(text))) return step;
    return wait('EtcdRefused', `${step.do} of ${step.member} is tried again: ${etcdError(error)}`);
  }
}

/** Checks that need etcd, right before a step that cannot be undone. */
async function problemOf(step: Deed, observed: Observed, etcd: EtcdPort): Promise<Step | undefined> {
  if (step.do !== 'replace' && step.do !== 'lift') return undefined;
  const seen = observed.silent.includes(step.member) ? await seenProblem(step.member, observed, etcd) : undefined;
  return seen ?? dataProblem(step.member, observed, etcd);
}

const DONE_BEFORE = [
  'Peer URLs already exists',
  'member not found',
  'can only promote a learner member',
  'required revision has been compacted',
];

async function effectOf(
  step: Exclude<Deed, SpaceDeed | Certify>,
  observed: Observed,
  { etcd, save }: Hands,
): Promise<void> {
  const endpoints = healthyUrls(observed);
  switch (step.do) {
    case 'add':
      return etcd.addLearner(endpoints, step.member, peerUrl(observed.cluster, step.member));
    case 'promote':
      return etcd.promote(endpoints, step.id);
    case 'move-leader':
      return etcd.moveLeader(clientUrl(observed.cluster, step.from), step.id);
    case 'remove':
      return etcd.remove(without(endpoints, observed, step.member), step.id);
    case 'replace': {
      // The data of the member itself may be wrong.
      const others = without(endpoints, observed, step.member);
      await save({ endpoint: others[0] ?? '', ...contentOf(observed, step.member) });
      return etcd.remove(others, step.id);
    }
    case 'found':
    case 'restore':
    case 'roll':
      return;
  }
}

async function makeRoom(step: SpaceDeed, observed: Observed, etcd: EtcdPort): Promise<void> {
  const [anyUrl = ''] = healthyUrls(observed);
  switch (step.do) {
    case 'recover':
      return;
    case 'compact':
      return etcd.compact(healthyUrls(observed), step.revision);
    case 'defragment':
      return etcd.defragment(clientUrl(observed.cluster, step.member));
    case 'disarm':
      for (const memberId of observed.alarms.noSpace) await etcd.disarm(anyUrl, { memberId, alarm: 'NOSPACE' });
      return;
    case 'lift':
      return etcd.disarm(anyUrl, { memberId: step.id, alarm: 'CORRUPT' });
  }
}

/** The largest file and the lowest revision of the members that stay. */
function contentOf({ members = [] }: Observed, leaving: string): Pick<SnapshotSource, 'databaseBytes' | 'revision'> {
  const stay = members.filter(({ name, isHealthy, isLearner }) => name !== leaving && isHealthy && !isLearner);
  return {
    databaseBytes: Math.max(0, ...stay.map(({ databaseBytes }) => databaseBytes)),
    revision: stay.length === 0 ? 0 : Math.min(...stay.map(({ revision }) => revision)),
  };
}

/** The URLs of healthy voters; a learner serves none of these calls. */
function healthyUrls({ cluster, members = [] }: Observed): readonly string[] {
  return members
    .filter(({ isHealthy, isLearner }) => isHealthy && !isLearner)
    .map(({ name }) => clientUrl(cluster, name));
}

/** A member is not asked for its own removal, as it may be gone before it answers. */
function without(endpoints: readonly string[], { cluster }: Observed, member: string): readonly string[] {
  const others = endpoints.filter((url) => url !== clientUrl(cluster, member));
  return others.length === 0 ? endpoints : others;
}
