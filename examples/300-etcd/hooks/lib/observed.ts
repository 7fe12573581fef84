import type { NewObject } from 'hooklet';
import type { ClusterName, ClusterSpec, MemberStatus } from './cluster.ts';
import type { Alarms } from './etcd-repair/etcd.ts';
import type { Memory } from './memory.ts';
import type { Trust } from './tls/trust.ts';
import type { TlsView } from './tls/view.ts';

/** All that one run knows, read in one go. */
export interface Observed {
  readonly cluster: ClusterName;
  readonly uid: string;
  readonly nowMs: number;
  /** Recorded when the cluster first answered; undefined before. */
  readonly clusterId: string | undefined;
  /** The status that the last run wrote. */
  readonly before: readonly MemberStatus[];
  /** Read linearizably, so with quorum; undefined if no member could answer that. */
  readonly members: readonly Member[] | undefined;
  /** Names of those that were asked, and did not answer at all. */
  readonly silent: readonly string[];
  /** Ids of members by their alarms. */
  readonly alarms: Alarms;
  /** What the runs before left. */
  readonly memory: Memory;
  /** How far the Job is that restores the first member. */
  readonly restoring: 'none' | 'running' | 'done' | 'failed';
  /** Which Pods of it have failed, and why it has, for people; absent where there is no such Job. */
  readonly restoreSaid?: string;
  /** That Job as it was given. */
  readonly restoreGiven?: NewObject;
  /** Its certificates; undefined where it has none. */
  readonly tls?: TlsView;
  /** The Kubernetes side of each member, by number. */
  readonly parts: readonly MemberParts[];
}

/** A member in the list of etcd, with what it said itself. */
export interface Member {
  readonly id: string;
  /** By its peer URL, as one that has not started has no name of its own. */
  readonly name: string;
  readonly isStarted: boolean;
  readonly isLearner: boolean;
  readonly isLeader: boolean;
  /** It has answered a linearizable read. */
  readonly isHealthy: boolean;
  readonly version: string;
  readonly revision: number;
  /** Of its file, and what of it has data. */
  readonly databaseBytes: number;
  readonly databaseBytesInUse: number;
}

/** The objects of one member; absent ones are not there. */
export interface MemberParts {
  readonly name: string;
  readonly set?: MemberSet;
  readonly claim?: MemberClaim;
  /** What it starts with. */
  readonly start?: Readonly<Record<string, string>>;
}

export interface MemberSet {
  /** Names what it was made from. */
  readonly form: string;
  readonly version: string;
  /** The object as it was given last, to be given again unchanged. */
  readonly given: NewObject | undefined;
  /** The authorities in its template; absent without TLS. */
  readonly trust?: Trust;
  /** Its Pod is ready and of the last form. */
  readonly isSettled: boolean;
}

export interface MemberClaim {
  /** Of its volume; before there is one, what was asked for. */
  readonly size: string;
  readonly storageClassName: string | undefined;
}

/** What the spec asks for, derived once for a run. */
export interface Wanted {
  readonly spec: ClusterSpec;
  /** Of a StatefulSet that is made from this spec. */
  readonly form: string;
  /** In that form; undefined without TLS. */
  readonly trust: Trust | undefined;
  readonly repairAfterMs: number;
}
