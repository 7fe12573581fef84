import { isOverdue, judgeLoss, nodeLost, OVERDUE_MS, type Loss } from './lost.ts';
import type { PodMember } from './view.ts';
import type { Turn } from './turn.ts';

/** What this refuses by, as long as it lasts. */
export const LOST_REASONS = ['NodeLost', 'NotFollowing', 'SeenByOthers', 'WitnessUnknown'];
const OWN_PORT = ' Set ETCD_HTTP_PORT where the client URL serves gRPC alone (--listen-client-http-urls).';

/**
 * Only a member that nobody reaches is replaced: not one that answers, that others see, or whose node may come back.
 */
export async function guardLost(turn: Turn): Promise<boolean> {
  const { target, alarms } = turn.facts;
  if (target === undefined) return false;
  // The member answers, but its data is wrong.
  if (target.status !== undefined && alarms.corrupt.includes(target.member?.id ?? '')) return true;
  if (target.status !== undefined && target.status.memberId === target.member?.id) return guardFollowing(turn, target);
  return guardLoss(turn, target, await lossOf(turn, target));
}

async function lossOf({ settings, facts, etcd, outcome }: Turn, target: PodMember): Promise<Loss> {
  const { targetPod, pods, leader, nowMs } = facts;
  const { timeoutMs, httpPort } = settings;
  const question = { target, targetPod, peers: { pods, leader }, nowMs };
  const loss = await judgeLoss(question, { timeoutMs, httpPort, signal: etcd.signal });
  if ('view' in loss) {
    outcome.say('witnesses were asked', { pod: target.pod, isReady: targetPod?.ready === true, ...loss.view });
  }
  return loss;
}

function guardLoss(turn: Turn, { pod }: PodMember, loss: Loss): boolean {
  switch (loss.is) {
    case 'lost':
      return true;
    case 'ending':
      return turn.outcome.waitForNews('waiting for the end of the Pod', { pod });
    case 'held':
      if (loss.reason === 'NodeLost') return turn.outcome.refuse(loss.reason, loss.message);
      return whenLasting(turn, loss.reason, `${loss.message}${loss.reason === 'WitnessUnknown' ? OWN_PORT : ''}`);
  }
}

/** A member that answers has a working disk. */
function guardFollowing(turn: Turn, { pod, status, member }: PodMember): boolean {
  // A learner that answers is promoted, or reported as slow.
  if (member?.isLearner === true) return true;
  const errors = (status?.errors ?? []).map((error) => ` (${error})`).join('');
  const said = `${status?.leader === '' ? 'knows no leader' : 'is not with the leader that the others follow'}${errors}`;
  return whenLasting(
    turn,
    'NotFollowing',
    `${pod} answers, but ${said}. Its disk is not what is wrong, so it is not replaced. Look for what keeps it from the other members at port ${turn.settings.peerPort}: NetworkPolicy, routes, certificates, and kubectl logs ${pod}. Should it not come back: kubectl delete pod ${pod}.`,
  );
}

/** Reports that the Pod whose storage is deleted does not terminate. */
export function guardGone({ facts, outcome }: Turn): boolean {
  if (!isOverdue(facts.targetPod, facts.nowMs)) return true;
  return outcome.refuse('NodeLost', `${nodeLost(facts.targetPod)} Until then the cluster has a member less.`);
}

/** A state that may end soon is not reported immediately. */
function whenLasting({ settings, facts, outcome }: Turn, reason: string, message: string): false {
  const { record, target } = facts;
  const sinceMs = Date.parse(record?.stepAt ?? facts.unhealthySince[target?.pod ?? ''] ?? '');
  const waitMs = OVERDUE_MS + (record === undefined ? settings.repairAfterMs : 0);
  if (facts.nowMs - sinceMs > waitMs) return outcome.refuse(reason, message);
  return outcome.waitForNews('not known to be lost yet', { pod: target?.pod ?? '', reason, message });
}
