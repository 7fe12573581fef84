import type { RaisedAlarm } from './etcd-repair/alarm.ts';
import type { Member, MemberHash, Status } from './etcd-repair/etcd.ts';
import type { Peers, PeersView, Unreached } from './etcd-repair/witness.ts';

/** What one member says of itself. */
export interface EndpointStatus {
  readonly endpoint: string;
  readonly clusterId: string;
  readonly memberId: string;
  /** Empty when it knows no leader. */
  readonly leader: string;
  readonly version: string;
  readonly revision: number;
  readonly databaseBytes: number;
  readonly databaseBytesInUse: number;
  readonly errors: readonly string[];
}

/** What a member presents to anybody who connects; none of it is verified. */
export interface Served {
  readonly endpoint: string;
  /** Of its certificate. */
  readonly fingerprint: string;
  /** Its time, in milliseconds since 1970. */
  readonly clockMs?: number;
}

/** What the hook asks of etcd, of the members at some URLs. */
export interface EtcdPort {
  /** Read linearizably: a member that can list them has quorum. */
  members(endpoints: readonly string[]): Promise<readonly Member[]>;
  /** Of those that answer. */
  statuses(endpoints: readonly string[]): Promise<readonly EndpointStatus[]>;
  /** The endpoints that answer a linearizable read, also while an alarm is raised. */
  healthy(endpoints: readonly string[]): Promise<readonly string[]>;
  /** Of members with TLS that answer at all. */
  served(endpoints: readonly string[]): Promise<readonly Served[]>;
  /** Of one member, which rejects when it does not answer. */
  status(endpoint: string): Promise<Status>;
  /** The hash of all that a member holds up to a revision; the member reads all of it. */
  hashAt(endpoint: string, revision: number): Promise<MemberHash>;
  /** What the leader knows of a member that does not answer. */
  peersView(peers: Peers, target: Unreached): Promise<PeersView>;
  addLearner(endpoints: readonly string[], name: string, peerUrl: string): Promise<void>;
  promote(endpoints: readonly string[], id: string): Promise<void>;
  remove(endpoints: readonly string[], id: string): Promise<void>;
  /** Only the leader can do it. */
  moveLeader(leader: string, id: string): Promise<void>;
  /** Forgets what was before a revision, and resolves when that is done. */
  compact(endpoints: readonly string[], revision: number): Promise<void>;
  /** Gives back what the file of one member no longer uses; it answers nothing meanwhile. */
  defragment(endpoint: string): Promise<void>;
  /** Disarms one alarm of one member, and no other. */
  disarm(endpoint: string, raised: RaisedAlarm): Promise<void>;
}
