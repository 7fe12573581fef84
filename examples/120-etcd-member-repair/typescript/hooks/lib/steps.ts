import { etcdError, etcdSaid, type Member } from './etcd.ts';
import {
  commonRevision,
  isoSeconds,
  wellEndpoints,
  type ClaimSummary,
  type Facts,
  type PodSummary,
} from './observe.ts';
import type { RepairRecord } from './record.ts';
import type { Snapshot } from './snapshot.ts';
import type { Repair, Turn } from './turn.ts';

// Each step can be done twice without harm: it names what it means by an id that never comes back.

/** Written ahead of the first change: who is replaced, and what of it has to go. */
export function writeRecord({ facts, outcome }: Turn, { file, atMs }: Snapshot): void {
  const { target, record } = facts;
  if (target?.member === undefined) return;
  const { pod, peerUrl, member } = target;
  const at = isoSeconds(facts.nowMs);
  const started = record ?? { since: facts.unhealthySince[pod] ?? at, startedAt: at };
  if (record === undefined) {
    outcome.event(
      'Warning',
      'RepairStarted',
      `${pod} (member ${member.id}) is unhealthy since ${started.since} and is replaced. The snapshot before is ${file}. ${target.error}`,
    );
  }
  outcome.record = {
    pod,
    peerURL: peerUrl,
    memberID: member.id,
    ...storageOf(facts),
    ...(record?.again === true && { again: true }),
    since: started.since,
    startedAt: started.startedAt,
    snapshot: file,
    snapshotAt: isoSeconds(atMs),
    step: 'recorded',
    stepAt: at,
  };
}

function storageOf({ targetPod, targetClaim }: Facts): Pick<RepairRecord, 'podUID' | 'claimUID'> {
  return { podUID: targetPod?.uid ?? '', claimUID: targetClaim?.uid ?? '' };
}

/** Best effort: whether it worked or not, the member is removed next. */
export async function moveLeader({ etcd, facts, outcome, record, target }: Repair): Promise<void> {
  const next = facts.pods.find(({ isWell, member }) => isWell && member?.id !== record.memberID)?.member;
  try {
    await etcd.moveLeader(target.endpoint, next?.id ?? '');
  } catch (error) {
    outcome.say('the leader stays', { why: etcdError(error) });
  }
  outcome.setStep('leader-moved');
}

export async function removeMember(repair: Repair): Promise<void> {
  const { etcd, facts, record } = repair;
  // Often "unhealthy cluster", shortly after an election. The next run looks again.
  await attempt(repair, 'removed', {
    act: async () => etcd.removeMember(wellEndpoints(facts), record.memberID),
    doneBefore: 'member not found',
  });
}

/** It stops all writes as long as it stands; the member it was about is gone. */
export async function disarmCorrupt(repair: Repair): Promise<void> {
  if (!(await hashesAgree(repair))) return;
  await attempt(repair, 'disarmed', { act: async () => repair.etcd.disarm(wellEndpoints(repair.facts)) });
}

export function isOldStorageThere({ facts, record }: Repair): boolean {
  return isOld(facts.targetClaim, record.claimUID) || isOld(facts.targetPod, record.podUID);
}

/**
 * The claim first: it stays until the Pod is gone, and the new Pod gets a new one. Whichever Pod is there then holds it,
 * also one that was made meanwhile.
 */
export function wipe({ facts, outcome, record }: Repair): void {
  const { targetClaim, targetPod } = facts;
  if (isOld(targetClaim, record.claimUID) && !targetClaim.deleting) {
    outcome.delete('PersistentVolumeClaim', targetClaim.name, targetClaim.uid);
    outcome.setStep('wiped');
  }
  if (targetPod?.deleting === false) {
    outcome.delete('Pod', targetPod.name, targetPod.uid);
    outcome.setStep('wiped');
  }
}

function isOld<T extends ClaimSummary | PodSummary>(object: T | undefined, recordedUid: string): object is T {
  return recordedUid !== '' && object?.uid === recordedUid;
}

export async function addLearner(repair: Repair): Promise<void> {
  const { etcd, facts, target } = repair;
  await attempt(repair, 'added', {
    act: async () => etcd.addLearner(wellEndpoints(facts), target.pod, target.peerUrl),
    doneBefore: 'Peer URLs already exists',
  });
}

export async function join(repair: Repair, member: Member): Promise<void> {
  const { outcome, target } = repair;
  if (member.isLearner && target.answers) return promote(repair);
  if (!joinsTooLong(repair)) outcome.say('waiting for the member to start', { pod: target.pod });
  else if (member.isLearner) startOver(repair, member);
  else outcome.refuse('JoinFailed', `${target.pod} was added, but does not start. See kubectl logs ${target.pod}.`);
}

export async function promote(repair: Repair): Promise<void> {
  const { etcd, facts, outcome, target, record } = repair;
  try {
    await etcd.promote(wellEndpoints(facts), target.member?.id ?? '');
    outcome.setStep('promoted');
  } catch (error) {
    if (!joinsTooLong(repair))
      outcome.say('the member is not promoted yet', { pod: target.pod, why: etcdError(error) });
    else {
      outcome.refuse(
        'JoinIsSlow',
        `${target.pod} is a learner since ${record.stepAt} and cannot be promoted: ${etcdError(error)}. It is tried again; look at its disk and network.`,
      );
    }
  }
}

function joinsTooLong({ settings, facts, record }: Repair): boolean {
  return facts.nowMs - Date.parse(record.stepAt) > settings.joinWithinMs;
}

/**
 * A learner that does not come up keeps all others from being replaced, and its storage is of no use to anyone. Should
 * it come up all the same before it is removed, it is the new member.
 */
function startOver({ settings, facts, outcome, target, record }: Repair, member: Member): void {
  outcome.event(
    'Warning',
    'JoinFailed',
    `${target.pod} did not start as a learner within ${settings.joinWithinMs / 1000}s and is replaced once more. ${target.pod}: ${target.error}`,
  );
  outcome.record = { ...record, memberID: member.id, ...storageOf(facts), again: true };
  outcome.setStep('recorded');
}

export async function verify(repair: Repair): Promise<void> {
  const { facts, outcome, target, record } = repair;
  if (!target.isWell) {
    // From here on it is a member that fails like any other.
    if (joinsTooLong(repair)) outcome.abandon('NotVerified', `${target.pod} became a member, but is not well.`);
  } else if (await hashesAgree(repair)) {
    const seconds = Math.round((facts.nowMs - Date.parse(record.startedAt)) / 1000);
    outcome.finish(seconds, `${target.pod} is a member again after ${seconds}s, and all members have the same data.`);
  }
}

/** At one revision that all have. They can be compared only where all were compacted alike. */
async function hashesAgree({ etcd, facts, outcome }: Repair): Promise<boolean> {
  const revision = commonRevision(facts);
  const hashes = await etcd.hashes(wellEndpoints(facts), revision).catch(() => undefined);
  if (hashes === undefined || new Set(hashes.map(({ compactRevision }) => compactRevision)).size > 1) {
    outcome.say('the hashes cannot be compared yet', { revision });
    return false;
  }
  if (new Set(hashes.map(({ hash }) => hash)).size === 1) return true;
  const all = hashes.map(({ endpoint, hash }) => `${endpoint} ${hash}`).join(', ');
  return outcome.refuse(
    'HashesDiffer',
    `The members do not hold the same data at revision ${revision}: ${all}. Nothing more is replaced. Take a snapshot of each member, find the one that differs from the majority, and remove it by hand.`,
  );
}

/** A cluster that was whole once is never started anew. */
export function markBootstrapped({ facts, outcome }: Turn): void {
  const isWhole = facts.members?.length === facts.pods.length && facts.pods.every(({ isWell }) => isWell);
  if (facts.objects.marker?.state !== 'new' || !isWhole) return;
  outcome.markBootstrapped(
    `All ${facts.pods.length} members are well. From now on an empty disk never starts a new cluster.`,
  );
}

interface Attempt {
  readonly act: () => Promise<void>;
  /** What etcd answers when it was done already. */
  readonly doneBefore?: string;
}

/** Keeps the step when it is done; when etcd refuses it, the next run looks again. */
async function attempt({ outcome, target }: Repair, step: string, { act, doneBefore }: Attempt): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (doneBefore === undefined || !etcdSaid(error).includes(doneBefore)) {
      outcome.say(`not ${step} yet`, { pod: target.pod, why: etcdError(error) });
      return;
    }
  }
  outcome.say(step, { pod: target.pod });
  outcome.setStep(step);
}
