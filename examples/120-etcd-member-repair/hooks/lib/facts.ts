import type { Alarms, Member, Status } from './etcd.ts';
import type { RepairRecord, State } from './record.ts';
import type { Updates } from './revision.ts';

export interface SetSummary {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly state: string;
  /** When members were replaced lately. */
  readonly repairs: string;
  /** Whether it has annotations at all. */
  readonly annotated: boolean;
  readonly paused: boolean;
  readonly replicas: number;
  readonly service: string;
  readonly claim: string;
  readonly updates: Updates;
}

export interface PodSummary {
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
  /** When it should have been gone; empty when it is not deleted. */
  readonly endsAt: string;
  readonly node: string;
  readonly ready: boolean;
  /** What its kubelet said last. A node that no longer answers has its Pods be not ready, and this stays. */
  readonly containersReady: boolean;
  readonly outOfMemory: boolean;
  /** Why its container does not run, such as `ImagePullBackOff`; empty when it does. */
  readonly waitsFor: string;
  /** Why no node takes it; empty when one does. */
  readonly unschedulable: string;
  readonly revision: string;
}

export interface ClaimSummary {
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
}

export interface MarkerSummary {
  readonly state: string | null;
}

export interface ClusterObjects {
  readonly statefulset: SetSummary;
  readonly pods: readonly PodSummary[];
  readonly claims: readonly ClaimSummary[];
  readonly marker: MarkerSummary | undefined;
  /** The names of those that the hook made. */
  readonly events: readonly string[];
}

/** The member of one Pod, found by its peer URL. */
export interface PodMember {
  readonly pod: string;
  readonly peerUrl: string;
  readonly endpoint: string;
  readonly member: Member | undefined;
  readonly status: Status | undefined;
  /** Why there is no status. */
  readonly error: string;
  /** It answers and knows the leader that all follow. */
  readonly answers: boolean;
  /** It is a voter besides, and nothing is known against it. */
  readonly isWell: boolean;
}

/** Everything that decisions are made of. */
export interface Facts {
  readonly nowMs: number;
  readonly objects: ClusterObjects;
  readonly state: State;
  readonly record: RepairRecord | undefined;
  readonly pods: readonly PodMember[];
  /** Undefined when nobody with quorum behind it could list them. */
  readonly members: readonly Member[] | undefined;
  readonly alarms: Alarms;
  readonly leader: string;
  /** Since when a Pod's member is not well. */
  readonly unhealthySince: Readonly<Record<string, string>>;
  /** Those that are so for long enough. */
  readonly failed: readonly string[];
  /** The Pod whose member is replaced, or would be. */
  readonly target: PodMember | undefined;
  /** As it is in Kubernetes, with the claim of its data; undefined where there is none at the moment. */
  readonly targetPod: PodSummary | undefined;
  readonly targetClaim: ClaimSummary | undefined;
}

/** Of those who are well, to be asked for what all know. */
export function wellEndpoints(facts: Facts): readonly string[] {
  const well = facts.pods.filter(({ isWell }) => isWell);
  return followersFirst(well, facts.leader).map(({ endpoint }) => endpoint);
}

/** Which all have that are well. */
export function commonRevision({ pods }: Facts): number {
  return Math.min(...pods.filter(({ isWell }) => isWell).map(({ status }) => status?.revision ?? 0));
}

/** As Kubernetes writes times. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A follower has more time. */
export function followersFirst<T extends { readonly status: Status | undefined }>(
  voters: readonly T[],
  leader: string,
): readonly T[] {
  const rank = ({ status }: T): number => (status?.memberId === leader ? 1 : 0);
  return voters.toSorted((a, b) => rank(a) - rank(b));
}
