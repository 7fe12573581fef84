/** Who is replaced, written down before the first change. */
export interface RepairRecord {
  readonly pod: string;
  readonly peerURL: string;
  /** Of the member that goes; it never comes back. */
  readonly memberID: string;
  readonly podUID: string;
  readonly claimUID: string;
  /** What goes is a learner of this very repair that did not come up. */
  readonly again?: true;
  readonly since: string;
  readonly startedAt: string;
  readonly snapshot: string;
  readonly snapshotAt: string;
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

/** What the annotation on the StatefulSet holds. */
export interface State {
  readonly unhealthy: Readonly<Record<string, string>>;
  readonly repair: RepairRecord | undefined;
  /** The last refusal an Event was written for. */
  readonly told: string;
  /** What the next run has to tell. */
  readonly news: readonly News[];
}

/** A text that is no state counts as none: everything can be found out again. */
export function readState(text: string): State {
  const { unhealthy = {}, repair, told = '', news = [] } = parse(text);
  return { unhealthy, repair, told, news };
}

/** The annotation; empty when there is nothing to keep. */
export function writeState({ unhealthy, repair, told, news }: State): string {
  const kept = {
    ...(Object.keys(unhealthy).length > 0 && { unhealthy }),
    ...(repair !== undefined && { repair }),
    ...(told !== '' && { told }),
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
