/** Who is replaced, written down before the first change. */
export interface RepairRecord {
  readonly pod: string;
  readonly peerURL: string;
  /** Of the member that goes; it never comes back. */
  readonly memberID: string;
  readonly podUID: string;
  readonly claimUID: string;
  readonly since: string;
  readonly startedAt: string;
  readonly snapshot: string;
  readonly snapshotAt: string;
  /** For people: what is left to do is read off the cluster. */
  readonly step: string;
  readonly stepAt: string;
}

/** What the annotation on the StatefulSet holds. */
export interface State {
  readonly unhealthy: Readonly<Record<string, string>>;
  readonly repair: RepairRecord | undefined;
  /** The last refusal an Event was written for. */
  readonly told: string;
}

/** A text that is no state counts as none: everything can be found out again. */
export function readState(text: string): State {
  const { unhealthy = {}, repair, told = '' } = parse(text);
  return { unhealthy, repair, told };
}

/** The annotation; empty when there is nothing to keep. */
export function writeState({ unhealthy, repair, told }: State): string {
  const kept = {
    ...(Object.keys(unhealthy).length > 0 && { unhealthy }),
    ...(repair !== undefined && { repair }),
    ...(told !== '' && { told }),
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
