import type { PodMember } from './facts.ts';
import type { Turn } from './turn.ts';
import { peersView } from './witness.ts';

/** What this refuses by, as long as it lasts. */
export const LOST_REASONS = ['NodeLost', 'NotFollowing', 'SeenByOthers', 'WitnessUnknown'];
/** After this a Pod that is deleted should be gone, and of a node that is silent the Pods are not Ready. */
const OVERDUE_MS = 60_000;

/**
 * Only a member that nobody reaches is replaced: not one that answers, that others see, or whose node may come back.
 */
export async function guardLost(turn: Turn): Promise<boolean> {
  const { facts } = turn;
  const { target, alarms } = facts;
  if (target === undefined) return false;
  // The member answers, but its data is wrong.
  if (target.status !== undefined && alarms.corrupt.includes(target.member?.id ?? '')) return true;
  if (target.status !== undefined && target.status.memberId === target.member?.id) return guardFollowing(turn, target);
  return guardNode(turn, target) && guardUnseen(turn, target);
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

async function guardUnseen(turn: Turn, target: PodMember): Promise<boolean> {
  const { pod, error } = target;
  const isReady = turn.facts.targetPod?.ready === true;
  const { isSeen, said } = await peersView(turn, target);
  turn.outcome.say('witnesses were asked', { pod, isReady, isSeen, said });
  if (!isReady && isSeen === false) return true;
  if (!isReady && isSeen === undefined) return guardWitness(turn, target, said);
  return whenLasting(
    turn,
    'SeenByOthers',
    `${pod} does not answer the hook (${error}), but it may be the hook that is cut off: its Pod is ${isReady ? '' : 'not '}Ready, and ${said}. It is not replaced. Look at what lies between the hook's Pod and ${pod}: NetworkPolicy, DNS, routes of the node.`,
  );
}

/** If no other member can report whether it sees the target, maybe only the hook is cut off from it. */
function guardWitness(turn: Turn, { pod, error }: PodMember, said: string): boolean {
  return whenLasting(
    turn,
    'WitnessUnknown',
    `${pod} does not answer the hook (${error}), and whether the other members see it is not known: ${said}. It is not replaced: it may be the hook that is cut off. Have the hook reach /debug/vars of the leader over HTTP: NetworkPolicy, certificates, and ETCD_HTTP_PORT where the client URL serves gRPC alone (--listen-client-http-urls).`,
  );
}

/** A new Pod is created only when this one is gone, and the disk may come back with the node. */
function guardNode(turn: Turn, { pod }: PodMember): boolean {
  const { facts, outcome } = turn;
  const { targetPod } = facts;
  const isAway = targetPod?.ready === false && targetPod.containersReady;
  if (isAway || isOverdue(turn)) {
    return outcome.refuse(
      'NodeLost',
      `${nodeLost(turn)} Until then ${pod} stays a member: it may come back with its data.`,
    );
  }
  return targetPod?.deleting === true ? outcome.waitForNews('waiting for the end of the Pod', { pod }) : true;
}

/** Reports that the Pod whose storage is deleted does not terminate. */
export function guardGone(turn: Turn): boolean {
  if (!isOverdue(turn)) return true;
  return turn.outcome.refuse('NodeLost', `${nodeLost(turn)} Until then the cluster has a member less.`);
}

function isOverdue({ facts }: Turn): boolean {
  return facts.nowMs - Date.parse(facts.targetPod?.endsAt ?? '') > OVERDUE_MS;
}

function nodeLost({ facts }: Turn): string {
  const { name = '', node = '', endsAt = '' } = facts.targetPod ?? {};
  const what = endsAt === '' ? `no longer reports ${name}` : `has not confirmed the end of ${name}, due at ${endsAt}`;
  return `The node ${node} ${what}, so no new Pod is made. Bring the node back. If it is off for good: kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute. Only when it is certainly off, since two of ${name} must never run: kubectl delete pod ${name} --force --grace-period=0. If a finalizer holds it, take that away.`;
}

/** A state that may end soon is not reported immediately. */
function whenLasting({ settings, facts, outcome }: Turn, reason: string, message: string): false {
  const { record, target } = facts;
  const sinceMs = Date.parse(record?.stepAt ?? facts.unhealthySince[target?.pod ?? ''] ?? '');
  const waitMs = OVERDUE_MS + (record === undefined ? settings.repairAfterMs : 0);
  if (facts.nowMs - sinceMs > waitMs) return outcome.refuse(reason, message);
  return outcome.waitForNews('not known to be lost yet', { pod: target?.pod ?? '', reason, message });
}
