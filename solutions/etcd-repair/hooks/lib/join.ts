import { etcdError, type Member } from './etcd.ts';
import { LEAST_BYTES_PER_SECOND_SENT } from './join-limit.ts';
import { sendsDatabase } from './leader-metrics.ts';
import { guardNewPod } from './new-pod.ts';
import { wellEndpoints } from './facts.ts';
import { guardRepairLimit } from './repairs.ts';
import { joinsTooLong, storageOf } from './steps.ts';
import type { Repair } from './turn.ts';
import { isLearning } from './view.ts';

export async function join(repair: Repair, member: Member): Promise<void> {
  const { outcome, target } = repair;
  if (isLearning(target)) return promote(repair);
  if (!joinsTooLong(repair)) outcome.say('waiting for the member to start', { pod: target.pod });
  else if (!member.isLearner) {
    outcome.refuse('JoinFailed', `${target.pod} was added, but does not start. See kubectl logs ${target.pod}.`);
  } else if (await isLoading(repair, member)) outcome.say('waiting for the member to load', { pod: target.pod });
  else await startOver(repair, member);
}

/** Whether it has what the leader has, etcd itself decides. */
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

async function isLoading(repair: Repair, member: Member): Promise<boolean> {
  const { settings, facts } = repair;
  if (joinsTooLong(repair, LEAST_BYTES_PER_SECOND_SENT)) return false;
  const leader = facts.pods.find(({ status }) => status?.memberId === facts.leader);
  return leader !== undefined && (await sendsDatabase(settings, leader.endpoint, member.id));
}

/**
 * A learner that does not come up prevents the replacement of all other members, and its storage is useless. If it
 * comes up before it is removed, it is the new member. If no Pod can be created, another disk would not help.
 */
async function startOver(repair: Repair, member: Member): Promise<void> {
  const { facts, outcome, target, record } = repair;
  if (!guardRepairLimit(repair) || !(await guardNewPod(repair))) return;
  const seconds = Math.round((facts.nowMs - Date.parse(record.stepAt)) / 1000);
  outcome.event(
    'Warning',
    'JoinFailed',
    `${target.pod} did not start as a learner within ${seconds}s and is replaced once more. ${target.pod}: ${target.error}`,
  );
  outcome.countRepair();
  outcome.record = { ...record, memberID: member.id, ...storageOf(facts), attempt: (record.attempt ?? 0) + 1 };
  outcome.setStep('recorded');
}
