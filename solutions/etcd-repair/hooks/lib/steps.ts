import { disarmAlarm } from './alarm.ts';
import { etcdError, etcdSaid } from './etcd.ts';
import { guardSameData } from './guard-data.ts';
import { guardGone } from './guard-lost.ts';
import { joinLimitMs } from './join-limit.ts';
import { isoSeconds, wellEndpoints, type ClaimSummary, type Facts, type PodSummary } from './facts.ts';
import { leaderName, startedText } from './news.ts';
import type { RepairRecord } from './record.ts';
import type { Snapshot } from './new-snapshot.ts';
import type { Repair, Turn } from './turn.ts';

// Each step can be repeated without harm: it identifies its object by an id that is never reused.

/** Records before the first change which member is replaced, and what has to be deleted. */
export function writeRecord({ facts, outcome, settings }: Turn, snapshot: Snapshot): void {
  const { target, record } = facts;
  const written = recordOf(facts, snapshot);
  if (target === undefined || written === undefined) return;
  if (record === undefined) {
    outcome.countRepair();
    const longer = `It was so for ${settings.repairAfterMs / 1000}s (REPAIR_AFTER_SECONDS); were it a partition, what is on its disk is given up all the same.`;
    outcome.event('Warning', 'RepairStarted', startedText(written, `${target.error}. ${longer}`));
  }
  outcome.record = {
    ...written,
    ...(record?.attempt !== undefined && { attempt: record.attempt }),
    since: record?.since ?? written.since,
    startedAt: record?.startedAt ?? written.startedAt,
  };
}

/** Of the target, as it is now. */
export function recordOf(facts: Facts, { file, atMs, revision }: Snapshot): RepairRecord | undefined {
  if (facts.target?.member === undefined) return undefined;
  const { pod, peerUrl, member } = facts.target;
  const at = isoSeconds(facts.nowMs);
  return {
    pod,
    peerURL: peerUrl,
    memberID: member.id,
    ...storageOf(facts),
    since: facts.unhealthySince[pod] ?? at,
    startedAt: at,
    snapshot: file,
    snapshotAt: isoSeconds(atMs),
    snapshotRevision: revision,
    step: 'recorded',
    stepAt: at,
  };
}

export function storageOf({ targetPod, targetClaim }: Facts): Pick<RepairRecord, 'podUID' | 'claimUID'> {
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
  const { settings, facts, record } = repair;
  if (!(await guardSameData(repair))) return;
  const [endpoint = ''] = wellEndpoints(facts);
  const raised = { memberId: record.memberID, alarm: 'CORRUPT' } as const;
  await attempt(repair, 'disarmed', {
    act: async () => disarmAlarm(endpoint, raised, { timeoutMs: settings.timeoutMs }),
  });
}

export function isOldStorageThere({ facts, record }: Repair): boolean {
  return isOld(facts.targetClaim, record.claimUID) || isOld(facts.targetPod, record.podUID);
}

/**
 * The claim first: it stays until the Pod is gone, and the new Pod gets a new one. Whichever Pod is there then holds
 * it, also one that was made meanwhile.
 */
export function wipe(repair: Repair): void {
  if (!guardGone(repair)) return;
  const { facts, outcome, record } = repair;
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
  const { etcd, facts, outcome, target } = repair;
  if (!(await guardSameData(repair))) return;
  // Record the leader first: once the learner is a member, nothing shows where its data came from.
  if (!isCopyNoted(repair)) return outcome.noteCopy(repair.record);
  await attempt(repair, 'added', {
    act: async () => etcd.addLearner(wellEndpoints(facts), target.pod, target.peerUrl),
    doneBefore: 'Peer URLs already exists',
  });
}

/** For the learner that is added now, and not for one before it. */
function isCopyNoted({ facts, record, target }: Repair): boolean {
  const copy = facts.state.copies[target.pod];
  return copy?.from === leaderName(facts) && copy.instead === record.memberID;
}

export async function verify(repair: Repair): Promise<void> {
  const { facts, outcome, target, record } = repair;
  if (!target.isWell) {
    // From now on it is treated like any other failing member.
    if (joinsTooLong(repair)) outcome.abandon('NotVerified', `${target.pod} became a member, but is not well.`);
  } else if (await guardSameData(repair)) {
    const seconds = Math.round((facts.nowMs - Date.parse(record.startedAt)) / 1000);
    outcome.finish(seconds, `${target.pod} is a member again after ${seconds}s, and all members have the same data.`);
  }
}

/** Whether the new member exceeds the time limit of its last step. */
export function joinsTooLong({ settings, facts, record }: Repair, bytesPerSecond?: number): boolean {
  const databaseBytes = Math.max(0, ...facts.pods.map(({ status }) => status?.databaseBytes ?? 0));
  const { joinWithinMs } = settings;
  const rate = bytesPerSecond === undefined ? {} : { bytesPerSecond };
  const limitMs = joinLimitMs({ joinWithinMs, databaseBytes, attempt: record.attempt ?? 0, ...rate });
  return facts.nowMs - Date.parse(record.stepAt) > limitMs;
}

/** A cluster that was complete once is never bootstrapped again. */
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

/** Records the step when it is done; if etcd refuses it, the next run tries again. */
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
