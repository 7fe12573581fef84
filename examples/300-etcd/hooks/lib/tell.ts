import type { ConditionToSet, EventToRecord } from 'hooklet';
import { DEFAULT_REPAIR_AFTER, serviceUrl, type EtcdCluster, type MemberStatus } from './cluster.ts';
import { DEFAULT_FREE_PERCENT, DEFAULT_LEAST } from './space.ts';
import type { Member, Observed, Wanted } from './observed.ts';
import { isDeed, isSpaceDeed, type Certify, type Deed, type SpaceDeed, type Step } from './step.ts';
import { certificatesOf, tlsStatus } from './tls/tell-tls.ts';

/** The status of a cluster, all of one moment. */
export function statusOf(observed: Observed, { spec }: Wanted): Readonly<Record<string, unknown>> {
  const { cluster, clusterId, members, before, nowMs } = observed;
  const at = new Date(nowMs).toISOString();
  const told = members?.map((member) => memberStatus(member, observed, at)) ?? before;
  // Members may still name a leader that does not answer.
  const leader = members?.find(({ isLeader, isHealthy }) => isLeader && isHealthy)?.name;
  const versions = [...new Set(told.map(({ version }) => version).filter((version) => version !== ''))].toSorted();
  return {
    ...(clusterId !== undefined && { clusterID: clusterId }),
    leader: leader ?? null,
    version: versions.join(', '),
    replicas: told.length,
    readyReplicas: members?.filter(({ isHealthy }) => isHealthy).length ?? 0,
    wantedReplicas: spec.replicas,
    endpoint: serviceUrl(cluster),
    members: told,
    ...tlsStatus(observed),
  };
}

function memberStatus(member: Member, { before, parts }: Observed, at: string): MemberStatus {
  const { id, name, version, isHealthy } = member;
  const known = before.find((one) => one.id === id);
  const said = { role: roleOf(member), version: version === '' ? (known?.version ?? '') : version };
  const common = { name, id, ...said, ...formOf(member, parts, known) };
  return isHealthy || !member.isStarted ? common : { ...common, failingSince: known?.failingSince ?? at };
}

function formOf({ name, isHealthy }: Member, parts: Observed['parts'], known: MemberStatus | undefined) {
  const set = parts.find((one) => one.name === name)?.set;
  const form = isHealthy && set?.isSettled === true ? set.form : known?.form;
  return form === undefined ? {} : { form };
}

function roleOf({ isLeader, isLearner, isHealthy }: Member): MemberStatus['role'] {
  if (isLearner) return 'learner';
  if (!isHealthy) return 'unknown';
  return isLeader ? 'leader' : 'follower';
}

/** Why a cluster is ready or not, whether it has quorum, and what needs a person. */
export function conditionsOf(observed: Observed, wanted: Wanted, step: Step): readonly ConditionToSet[] {
  const { spec } = wanted;
  const care = [quorumOf(observed), spaceOf(observed, spec), survival(spec)];
  return [readiness(step), ...care, ...certificatesOf(observed, wanted, step)];
}

function quorumOf({ members }: Observed): ConditionToSet {
  return members === undefined
    ? { type: 'HasQuorum', status: 'False', reason: 'NoAnswer', message: 'no linearizable read was answered' }
    : { type: 'HasQuorum', status: 'True', reason: 'Answered', message: 'a linearizable read was answered' };
}

function spaceOf({ alarms }: Observed, { onNoSpace = 'Recover', defragment = {} }: Wanted['spec']): ConditionToSet {
  const { freePercent = DEFAULT_FREE_PERCENT, least = DEFAULT_LEAST } = defragment;
  const atAlarm = onNoSpace === 'Tell' ? 'NOSPACE is only told' : 'at NOSPACE all are compacted';
  const care = `members are defragmented when ${freePercent} % of ${least} or more are free, and ${atAlarm}`;
  if (alarms.noSpace.length === 0) {
    return { type: 'HasSpace', status: 'True', reason: 'NoAlarm', message: `no alarm is raised; ${care}` };
  }
  const message =
    'the alarm NOSPACE is raised, so nothing can be written: see Ready for what is done; delete keys, or raise spec.options.quotaBackendBytes';
  return { type: 'HasSpace', status: 'False', reason: 'NoSpace', message };
}

function survival({ replicas, repair: { after = DEFAULT_REPAIR_AFTER } = {} }: Wanted['spec']): ConditionToSet {
  if (replicas > 1) {
    const most = Math.ceil(replicas / 2) - 1;
    const message = `${replicas} members go on without ${most}; one that does not answer for ${after} is replaced`;
    return { type: 'SurvivesLoss', status: 'True', reason: 'Redundant', message };
  }
  const message = 'one member: when its disk is lost, all is lost; ask for 3';
  return { type: 'SurvivesLoss', status: 'False', reason: 'OneMember', message };
}

function readiness(step: Step): ConditionToSet {
  if (isDeed(step)) return { type: 'Ready', status: 'False', reason: 'Working', message: sentenceOf(step) };
  if (step.do === 'rest') {
    return { type: 'Ready', status: 'True', reason: 'AllWell', message: 'all members are as wanted' };
  }
  return { type: 'Ready', status: 'False', reason: step.reason, message: step.message };
}

function sentenceOf(step: Deed): string {
  if (isSpaceDeed(step)) return roomSentence(step);
  return step.do === 'certify' ? certifySentence(step) : memberSentence(step);
}

function memberSentence(step: Exclude<Deed, SpaceDeed | Certify>): string {
  switch (step.do) {
    case 'found':
      return `${step.member} founds the cluster`;
    case 'restore':
      return `${step.member} gets what the snapshot has`;
    case 'add':
      return `${step.member} was added as a learner`;
    case 'promote':
      return `${step.member} has the data of the others, and votes`;
    case 'move-leader':
      return `${step.member} leads instead of ${step.from}`;
    case 'remove':
      return `${step.member} was removed: ${step.why}`;
    case 'replace':
      return `${step.member} was given up, and another takes its place: ${step.why}`;
    case 'roll':
      return `${step.member} gets what the spec asks for`;
  }
}

function certifySentence({ what, member, why }: Certify): string {
  switch (what) {
    case 'authority':
      return `authorities for clients and peers are made: ${why}`;
    case 'next':
      return `the next authorities join those that are trusted: ${why}`;
    case 'switch':
      return `the next authorities sign from now on: ${why}`;
    case 'leaf':
      return `${member} gets another certificate: ${why}`;
  }
}

function roomSentence(step: SpaceDeed): string {
  switch (step.do) {
    case 'recover':
      return `the alarm NOSPACE is raised for ${step.member}: attempt ${step.attempt} to make space begins`;
    case 'compact':
      return `all that was before revision ${step.revision} is compacted`;
    case 'defragment':
      return `${step.member} was defragmented: ${step.why}`;
    case 'disarm':
      return 'there is space again, and the alarm NOSPACE is disarmed';
    case 'lift':
      return `the alarm CORRUPT of ${step.member} is lifted: it is gone, and all others hold the same data`;
  }
}

const REASONS: Readonly<Record<Deed['do'], string>> = {
  found: 'Founded',
  restore: 'RestoreStarted',
  add: 'MemberAdded',
  promote: 'MemberPromoted',
  'move-leader': 'LeaderMoved',
  remove: 'MemberRemoved',
  replace: 'MemberReplaced',
  roll: 'MemberChanged',
  lift: 'CorruptLifted',
  certify: 'CertificatesMade',
  recover: 'NoSpace',
  compact: 'Compacted',
  defragment: 'MemberDefragmented',
  disarm: 'AlarmDisarmed',
};
/** Reasons that need a person; the other waits are part of the work. */
const WARNED = new Set([
  'QuorumLost',
  'MembersFailing',
  'TooFewMembers',
  'TooFewHealthy',
  'ForeignMember',
  'NoSpace',
  'NoSpaceAgain',
  'Corrupt',
  'CorruptUnfounded',
  'HashesDiffer',
  'HashesUnknown',
  'NotFollowing',
  'SeenByOthers',
  'WitnessUnknown',
  'CertificatesRefused',
  'ClocksDiffer',
]);

/** Each deed, and each reason to wait or to refuse when it begins. */
export function eventsOf(
  object: EtcdCluster,
  step: Step,
  conditions: readonly ConditionToSet[],
): readonly EventToRecord[] {
  return [...expiry(object, conditions), ...eventsOfStep(object, step)];
}

/** An Event when certificates begin to end soon without being renewed. */
function expiry({ status }: EtcdCluster, conditions: readonly ConditionToSet[]): readonly EventToRecord[] {
  const isTold = ({ type, reason = '' }: { readonly type: string; readonly reason?: string }): boolean =>
    type === 'CertificatesValid' && ['Expiring', 'Expired'].includes(reason);
  const now = conditions.find(isTold);
  const before = status?.conditions?.find(isTold);
  if (now === undefined || now.reason === before?.reason) return [];
  return [{ type: 'Warning', reason: `Certificates${now.reason}`, message: now.message ?? '' }];
}

function eventsOfStep({ status }: EtcdCluster, step: Step): readonly EventToRecord[] {
  if (isDeed(step)) {
    const type = ['replace', 'recover'].includes(step.do) ? 'Warning' : 'Normal';
    return [{ type, reason: REASONS[step.do], message: sentenceOf(step) }];
  }
  if (step.do === 'rest') return [];
  const before = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  const isNews = before !== step.reason && (step.do === 'refuse' || WARNED.has(step.reason));
  return isNews ? [{ type: 'Warning', reason: step.reason, message: step.message }] : [];
}
