import type { Member } from './etcd.ts';
import { DATA_REASONS, guardAccused, guardNamed, guardSameData } from './guard-data.ts';
import { guardLost, LOST_REASONS } from './guard-lost.ts';
import {
  guardCertificates,
  guardEnoughMembers,
  guardMembership,
  guardOneUnhealthy,
  guardOthers,
  guardPaused,
  guardQuorum,
  guardSettled,
  guardSpace,
  guardTarget,
  guardTargetWanted,
} from './guards.ts';
import { join, promote } from './join.ts';
import { guardNewPod } from './new-pod.ts';
import { guardRepairLimit } from './repairs.ts';
import { lookBeforeRemoval } from './removal.ts';
import { otherFailed, planAsWell, plannedFor, removeAsWell } from './several.ts';
import { takeSnapshot } from './snapshot.ts';
import {
  addLearner,
  disarmCorrupt,
  isOldStorageThere,
  markBootstrapped,
  moveLeader,
  removeMember,
  verify,
  wipe,
  writeRecord,
} from './steps.ts';
import type { Repair, Turn } from './turn.ts';
import { isLearning } from './view.ts';

/** The first thing to be done or to be said ends the run. */
export async function repairStep(turn: Turn): Promise<void> {
  const { record, target } = turn.facts;
  const repair = record !== undefined && target !== undefined ? { ...turn, record, target } : undefined;
  markBootstrapped(turn);
  if (!guardPaused(turn)) return;
  if (repair !== undefined && !guardTargetWanted(repair)) return;
  if (!guardEnoughMembers(turn)) return;
  await (repair === undefined ? lookForFailure(turn) : continueRepair(repair));
}

async function lookForFailure(turn: Turn): Promise<void> {
  const { facts } = turn;
  if (facts.failed.length > 0 && !(guardCertificates(turn) && guardQuorum(turn))) return;
  if (facts.members === undefined || !guardSpace(turn) || !guardMembership(turn)) return;
  if ((await guardAccused(turn)) && facts.failed.length > 0) await startRepair(turn);
}

async function startRepair(turn: Turn): Promise<void> {
  if (!guardOneUnhealthy(turn) || !(await guardTarget(turn))) return;
  if (!guardRepairLimit(turn) || !(await guardNewPod(turn))) return;
  if (!guardSettled(turn, [...LOST_REASONS, ...DATA_REASONS])) return;
  // Last what takes reading all data; and only then is what forbade it over.
  if (!(await guardLost(turn)) || !(await guardSameData(turn)) || !guardSettled(turn)) return;
  await saveAndRecord(turn);
}

/** Nothing is removed without a snapshot. */
async function saveAndRecord(turn: Turn): Promise<void> {
  const snapshot = await takeSnapshot(turn);
  if (snapshot !== undefined) writeRecord(turn, snapshot);
}

/** The next step is derived from the cluster, never from the step in the record. */
async function continueRepair(repair: Repair): Promise<void> {
  if (!guardQuorum(repair) || !guardSpace(repair) || !(await guardNamed(repair)) || !guardOthers(repair)) return;
  const { record, target, facts } = repair;
  if (target.member?.id === record.memberID) return replaceOldMember(repair);
  if (facts.alarms.corrupt.includes(record.memberID)) return disarmCorrupt(repair);
  // Whoever has become a member meanwhile needs the storage, be it the old one.
  if (target.member !== undefined) return takeIn(repair, target.member);
  return isOldStorageThere(repair) ? wipe(repair) : addMember(repair);
}

/** etcd adds no member while a voter is down, so other lost members are removed first. */
async function addMember(repair: Repair): Promise<void> {
  const other = otherFailed(repair);
  if (other === undefined) return addLearner(repair);
  const planned = plannedFor(other);
  if (planned === undefined && !guardRepairLimit(other)) return addLearner(repair);
  const removal = await lookBeforeRemoval(other, planned);
  if (removal === undefined) return addLearner(repair);
  return removal.hasSnapshot ? removeAsWell(repair, other) : planAsWell(other);
}

async function takeIn(repair: Repair, member: Member): Promise<void> {
  return member.isLearner || member.name === '' ? join(repair, member) : verify(repair);
}

async function replaceOldMember(repair: Repair): Promise<void> {
  const { facts, target, outcome, record } = repair;
  const isLearner = target.member?.isLearner === true;
  if (target.isWell && record.attempt !== undefined) {
    await verify(repair);
  } else if (target.isWell) {
    outcome.abandon('Recovered', `${target.pod} is well again, so it stays a member.`);
  } else if (isLearning(target)) {
    await promote(repair);
  } else if (isLearner || facts.failed.includes(target.pod)) {
    await takeOut(repair);
  }
}

async function takeOut(repair: Repair): Promise<void> {
  if (!guardOneUnhealthy(repair)) return;
  const removal = await lookBeforeRemoval(repair, repair.record);
  if (removal === undefined) return;
  if (!removal.hasSnapshot) return saveAndRecord(repair);
  return isLeader(repair) ? moveLeader(repair) : removeMember(repair);
}

function isLeader({ facts, record, target }: Repair): boolean {
  return facts.leader === record.memberID && target.answers && record.step !== 'leader-moved';
}
