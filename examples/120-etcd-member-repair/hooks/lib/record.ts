/** Who is replaced, written down before the first change. */
export interface RepairRecord {
  readonly pod: string;
  readonly peerURL: string;
  /** Of the member that goes; it never comes back. */
  readonly memberID: string;
  readonly podUID: string;
  readonly claimUID: string;
  /** How often a learner of this very repair did not come up, which then goes as well. */
  readonly attempt?: number;
  readonly since: string;
  readonly startedAt: string;
  readonly snapshot: string;
  readonly snapshotAt: string;
  readonly snapshotRevision: number;
  /** For people: what is left to do is read off the cluster. */
  readonly step: string;
  readonly stepAt: string;
}

/** An Event that is decided, and not known to be made yet. */
export interface News {
  readonly name: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly at: string;
}

/** Whose data a new member was given, and when. */
export interface Copy {
  readonly from: string;
  readonly at: string;
  /** The member that it replaces. */
  readonly instead: string;
}

export interface Same {
  readonly at: string;
  /** Members by their ids. */
  readonly voters: readonly string[];
}

/** What the annotation on the StatefulSet holds. */
export interface State {
  readonly unhealthy: Readonly<Record<string, string>>;
  readonly repair: RepairRecord | undefined;
  /** Those whose turn it is after that: they are down as well, and etcd adds none before they are out. */
  readonly next: readonly RepairRecord[];
  /** The last refusal an Event was written for. */
  readonly told: string;
  /** When the hashes were compared that it is about; empty where it is about none. */
  readonly comparedAt: string;
  /** Who was last seen to hold the same; it is not asked all the time, as they read all they have for it. */
  readonly same: Same | undefined;
  /** Pods whose data came from another, and was not compared with that of all since. */
  readonly copies: Readonly<Record<string, Copy>>;
  /** What is to be told. */
  readonly news: readonly News[];
}

/** A text that is no state counts as none: everything can be found out again. */
export function readState(text: string): State {
  const { unhealthy = {}, repair, next = [], told = '', comparedAt = '', same, copies = {}, news = [] } = parse(text);
  return { unhealthy, repair, next, told, comparedAt, same, copies, news };
}

/** The annotation; empty when there is nothing to keep. */
export function writeState({ unhealthy, repair, next, told, comparedAt, same, copies, news }: State): string {
  const kept = {
    ...(Object.keys(unhealthy).length > 0 && { unhealthy }),
    ...(repair !== undefined && { repair }),
    ...(next.length > 0 && { next }),
    ...(told !== '' && { told }),
    ...(comparedAt !== '' && { comparedAt }),
    ...(same !== undefined && { same }),
    ...(Object.keys(copies).length > 0 && { copies }),
    ...(news.length > 0 && { news }),
  };
  return Object.keys(kept).length === 0 ? '' : JSON.stringify(kept);
}

function parse(text: string): Partial<State> {
  try {
    return text === '' ? {} : (JSON.parse(text) as Partial<State>);
  } catch {
    return {};
  }
}
