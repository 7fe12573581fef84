import { placeOf } from './bucket.ts';
import { byNumber, memberName, memberNumber, type RestoreOptions } from './cluster.ts';
import { corruptStep } from './corrupt.ts';
import { majority } from './etcd-repair/quorum.ts';
import { handOver } from './hand-over.ts';
import type { Member, Observed, Wanted } from './observed.ts';
import { refusal } from './refusal.ts';
import { repairStep } from './repair.ts';
import { roll } from './roll.ts';
import { restoreVersionProblem } from './restore-version.ts';
import { defragmentStep, spaceStep } from './space.ts';
import { refuse, wait, type Step } from './step.ts';
import { renewTls, urgentTls } from './tls/tls-step.ts';

/** The one step that is next. It decides by what etcd and Kubernetes say now, so that it is right after any crash. */
export function plan(observed: Observed, wanted: Wanted): Step {
  return (
    refusal(observed, wanted) ??
    (observed.members === undefined ? unanswered(observed, wanted) : next(observed, wanted))
  );
}

/** No member could list the members: the cluster is new, starts, or has lost quorum. Only a new one is founded. */
function unanswered(observed: Observed, wanted: Wanted): Step {
  const { parts, clusterId, silent } = observed;
  const { form } = wanted;
  const names = parts.map(({ name }) => name);
  const mendable = parts.find(({ set }) => set !== undefined && !set.isSettled && set.form !== form);
  if (mendable !== undefined) return { do: 'roll', member: mendable.name };
  const certified = urgentTls(observed, wanted);
  if (certified !== undefined) return certified;
  if (clusterId === undefined) return foundingStep(observed, wanted);
  if (!parts.some(({ claim }) => claim !== undefined)) {
    return refuse(
      'DataGone',
      `the volumes of cluster ${clusterId} are gone, and a new cluster would be an empty one: make an EtcdRestore from a backup, or delete this EtcdCluster and make it anew`,
    );
  }
  const who = silent.length === 0 ? 'they answer, but know no leader' : `${silent.join(', ')} do not answer`;
  return wait(
    'QuorumLost',
    `${names.length} members have no quorum (${who}), and nothing is changed: bring their Pods and nodes back. If their disks are lost, restore a backup into a new cluster`,
  );
}

/** The first member begins with nothing, or with a snapshot that a Job has put on its volume. */
function foundingStep({ cluster, parts, restoring, restoreSaid = '' }: Observed, { spec }: Wanted): Step {
  const member = memberName(cluster, 0);
  if (parts.some(({ set }) => set !== undefined)) {
    return wait('Founding', `${member} has not answered yet: see Pod ${member}-0`);
  }
  if (spec.restore === undefined) return { do: 'found', member };
  const problem = restoreVersionProblem(spec);
  if (problem !== undefined) return refuse('InvalidSpec', problem);
  const from = restoredFrom(spec.restore);
  const said = restoreSaid === '' ? '' : ` (${restoreSaid})`;
  switch (restoring) {
    case 'none':
      return { do: 'restore', member };
    case 'running':
      return wait('Restoring', `Job ${member}-restore puts ${from} on the volume of ${member}${said}`);
    case 'failed':
      return refuse(
        'RestoreFailed',
        `Job ${member}-restore could not restore ${from}${said}: see its Pods; then delete this EtcdCluster and make it anew with a snapshot that is there and whole`,
      );
    case 'done':
      return { do: 'found', member };
  }
}

function restoredFrom({ claimName = '', file = '', s3 }: RestoreOptions): string {
  return s3 === undefined ? `${file} of the claim ${claimName}` : placeOf(s3);
}

type Next = (observed: Observed, wanted: Wanted, members: readonly Member[]) => Step | undefined;

const ORDER: readonly Next[] = [
  foreign,
  urgentTls,
  promoteLearner,
  shrink,
  mendForm,
  corruptStep,
  spaceStep,
  repairStep,
  grow,
  roll,
  defragmentStep,
  renewTls,
];

function next(observed: Observed, wanted: Wanted): Step {
  const members = (observed.members ?? []).toSorted(byNumber(observed.cluster));
  for (const step of ORDER) {
    const found = step(observed, wanted, members);
    if (found !== undefined) return found;
  }
  return { do: 'rest' };
}

function foreign({ cluster }: Observed, _: Wanted, members: readonly Member[]): Step | undefined {
  const others = members.filter(({ name }) => memberNumber(cluster, name) === undefined);
  if (others.length === 0) return undefined;
  const ids = others.map(({ id, name }) => `${id} (${name})`).join(', ');
  return wait('ForeignMember', `somebody else has added ${ids}: remove it with etcdctl member remove`);
}

/**
 * A learner is finished, or removed again, before anything else begins: etcd allows one. None is promoted under an
 * alarm CORRUPT, because its data is a copy of what may be wrong.
 */
function promoteLearner({ cluster, alarms }: Observed, { spec }: Wanted, members: readonly Member[]): Step | undefined {
  const learner = members.findLast(({ isLearner }) => isLearner);
  if (learner === undefined) return undefined;
  const { name: member, id } = learner;
  if (members.length > spec.replicas) return { do: 'remove', member, id, why: 'it is no longer wanted' };
  if (alarms.corrupt.length > 0) return undefined;
  if (!learner.isStarted) return wait('Joining', `${member} is a member, and has not started yet: see Pod ${member}-0`);
  if (!learner.isHealthy && memberNumber(cluster, member) !== undefined) return undefined;
  return { do: 'promote', member, id };
}

/**
 * The last by number goes first, or one that has failed; the leader hands over before it goes. Under an alarm CORRUPT
 * only `corruptStep` removes a voter, because the wrong data could be what stays.
 */
function shrink({ alarms }: Observed, { spec }: Wanted, members: readonly Member[]): Step | undefined {
  if (members.length <= spec.replicas || alarms.corrupt.length > 0) return undefined;
  const victim = members.findLast(({ isHealthy }) => !isHealthy) ?? members.at(-1);
  if (victim === undefined) return undefined;
  const others = members.filter(({ id }) => id !== victim.id);
  const healthy = others.filter(({ isHealthy }) => isHealthy);
  if (healthy.length < majority(others.length)) {
    return wait(
      'TooFewHealthy',
      `${victim.name} is not removed: of the other ${others.length} members only ${healthy.length} answer`,
    );
  }
  const why = `${members.length} members are ${members.length - spec.replicas} too many`;
  return handOver(members, victim) ?? { do: 'remove', member: victim.name, id: victim.id, why };
}

/** A member that fails in a form that is not wanted gets the wanted one, which may be what mends it. */
function mendForm({ parts }: Observed, { form }: Wanted, members: readonly Member[]): Step | undefined {
  const sick = new Set(members.filter(({ isHealthy }) => !isHealthy).map(({ name }) => name));
  const found = parts.find(
    ({ name, set }) => set !== undefined && !set.isSettled && set.form !== form && sick.has(name),
  );
  return found && { do: 'roll', member: found.name };
}

/** Adds a member. Steps before this one have waited for all members, because etcd adds none while one is away. */
function grow({ cluster, parts }: Observed, { spec }: Wanted, members: readonly Member[]): Step | undefined {
  if (members.length >= spec.replicas) return undefined;
  const taken = new Set([...members.map(({ name }) => name), ...parts.map(({ name }) => name)]);
  const number = Array.from({ length: taken.size + 1 }, (_, at) => at).find(
    (one) => !taken.has(memberName(cluster, one)),
  );
  return { do: 'add', member: memberName(cluster, number ?? taken.size) };
}
