import { followersFirst, type Alarms, type Member } from './etcd.ts';
import type { SeenPod } from './lost.ts';
import type { RepairRecord, State } from './record.ts';
import type { Updates } from './revision.ts';
import type { PodMember } from './view.ts';

export interface SetSummary {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly state: string;
  /** When members were replaced in the last day. */
  readonly repairs: string;
  /** Whether it has annotations at all. */
  readonly annotated: boolean;
  readonly paused: boolean;
  readonly replicas: number;
  readonly service: string;
  readonly claim: string;
  readonly updates: Updates;
}

export interface PodSummary extends SeenPod {
  readonly uid: string;
  readonly outOfMemory: boolean;
  /** Why its container does not run, such as `ImagePullBackOff`; empty when it runs. */
  readonly waitsFor: string;
  /** Why it cannot be scheduled; empty when it is scheduled. */
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

/** Everything on which decisions depend. */
export interface Facts {
  readonly nowMs: number;
  readonly objects: ClusterObjects;
  readonly state: State;
  readonly record: RepairRecord | undefined;
  readonly pods: readonly PodMember[];
  /** `undefined` when no member with quorum could list them. */
  readonly members: readonly Member[] | undefined;
  readonly alarms: Alarms;
  readonly leader: string;
  /** Since when the member of a Pod is unhealthy. */
  readonly unhealthySince: Readonly<Record<string, string>>;
  /** The members that have been unhealthy for `REPAIR_AFTER_SECONDS`. */
  readonly failed: readonly string[];
  /** The Pod whose member is being replaced, or would be. */
  readonly target: PodMember | undefined;
  /** As it is in Kubernetes, with the claim of its data; undefined where there is none at the moment. */
  readonly targetPod: PodSummary | undefined;
  readonly targetClaim: ClaimSummary | undefined;
}

/** The endpoints of the healthy members, for requests that any of them can answer. */
export function wellEndpoints(facts: Facts): readonly string[] {
  const well = facts.pods.filter(({ isWell }) => isWell);
  return followersFirst(well, facts.leader).map(({ endpoint }) => endpoint);
}

/** The lowest revision of all healthy members. */
export function commonRevision({ pods }: Facts): number {
  return Math.min(...pods.filter(({ isWell }) => isWell).map(({ status }) => status?.revision ?? 0));
}

/** The format of times in Kubernetes. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
