import type { MemberAccess } from './member-access.ts';
import { peersView, type Peers, type PeersView, type Unreached } from './witness.ts';

/** A Pod as Kubernetes has it. */
export interface SeenPod {
  readonly name: string;
  readonly node: string;
  readonly deleting: boolean;
  /** The deadline of its deletion; empty when it is not being deleted. */
  readonly endsAt: string;
  readonly ready: boolean;
  /** What its kubelet said last. A node that no longer answers has its Pods be not ready, and this stays. */
  readonly containersReady: boolean;
}

export interface LossQuestion {
  readonly target: Unreached & { readonly error: string };
  /** Of the target; `undefined` where there is none. */
  readonly targetPod: SeenPod | undefined;
  readonly peers: Peers;
  readonly nowMs: number;
}

/** Whether a member that does not answer is lost, or why it may come back. */
export type Loss =
  | { readonly is: 'lost'; readonly view: PeersView }
  /** Its Pod is being deleted, and time for that is left. */
  | { readonly is: 'ending' }
  | {
      readonly is: 'held';
      readonly reason: 'NodeLost' | 'SeenByOthers' | 'WitnessUnknown';
      readonly message: string;
      /** Absent where no other member was asked. */
      readonly view?: PeersView;
    };

/** After this a Pod that is deleted should be gone, and of a node that is silent the Pods are not Ready. */
export const OVERDUE_MS = 60_000;

/**
 * Only a member that nobody reaches is lost: not one that others see, whose Pod is Ready, or whose node may come back.
 * One that answers is not asked about here: its disk works.
 */
export async function judgeLoss(
  { target, targetPod, peers, nowMs }: LossQuestion,
  access: MemberAccess & { readonly signal: AbortSignal },
): Promise<Loss> {
  const isAway = targetPod?.ready === false && targetPod.containersReady;
  if (isAway || isOverdue(targetPod, nowMs)) {
    const message = `${nodeLost(targetPod)} Until then ${target.pod} stays a member: it may come back with its data.`;
    return { is: 'held', reason: 'NodeLost', message };
  }
  if (targetPod?.deleting === true) return { is: 'ending' };
  const view = await peersView(peers, target, access);
  return judgeView(target, targetPod?.ready === true, view);
}

/** Whether the end of a Pod that was deleted should have been confirmed by now. */
export function isOverdue(pod: SeenPod | undefined, nowMs: number): boolean {
  return nowMs - Date.parse(pod?.endsAt ?? '') > OVERDUE_MS;
}

/** What has to be done about a node that does not report a Pod, or does not confirm its end. */
export function nodeLost({ name = '', node = '', endsAt = '' }: Partial<SeenPod> = {}): string {
  const what = endsAt === '' ? `no longer reports ${name}` : `has not confirmed the end of ${name}, due at ${endsAt}`;
  return `The node ${node} ${what}, so no new Pod is made. Bring the node back. If it is off for good: kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute. Only when it is certainly off, since two of ${name} must never run: kubectl delete pod ${name} --force --grace-period=0. If a finalizer holds it, take that away.`;
}

function judgeView({ pod, error }: LossQuestion['target'], isReady: boolean, view: PeersView): Loss {
  const { isSeen, said } = view;
  if (!isReady && isSeen === false) return { is: 'lost', view };
  if (!isReady && isSeen === undefined) {
    return {
      is: 'held',
      reason: 'WitnessUnknown',
      message: `${pod} does not answer the hook (${error}), and whether the other members see it is not known: ${said}. It is not replaced: it may be the hook that is cut off. Have the hook reach /debug/vars of the leader over HTTP: NetworkPolicy, certificates.`,
      view,
    };
  }
  return {
    is: 'held',
    reason: 'SeenByOthers',
    message: `${pod} does not answer the hook (${error}), but it may be the hook that is cut off: its Pod is ${isReady ? '' : 'not '}Ready, and ${said}. It is not replaced. Look at what lies between the hook's Pod and ${pod}: NetworkPolicy, DNS, routes of the node.`,
    view,
  };
}
