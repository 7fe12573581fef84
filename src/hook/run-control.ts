import type { RunLine, RunObject, RunOutcomeName, RunRecord } from './run-record.ts';

/** The runs that are remembered, for those who ask. An unknown run, or an id that fits several, is a `UsageError`. */
export interface RunControl {
  /** The newest first. */
  list(query: RunQuery): RunList;
  /**
   * `id` may be its beginning, where no other run has the same, or the whole id of a request of an `http` binding: that of
   * the last run that had it.
   */
  find(id: string): RunRecord;
  /**
   * What a run printed, from the line with the number `after`. Where there is none and `waitMs` is given, it waits as
   * long for one, for the end of the run, or for `signal`.
   */
  logs(id: string, query: LogQuery): Promise<RunLog>;
  /** What became of the objects of hooks, the latest first. */
  objects(query: ObjectQuery): readonly ObjectOutcome[];
}

export interface RunQuery {
  readonly hook?: string;
  /** `NS/NAME`, `NAME` or `KIND/NS/NAME`. */
  readonly object?: string;
  /** Only runs that failed. */
  readonly isFailed?: boolean;
  readonly outcome?: RunOutcomeName;
  /** Only runs whose error contains this text. */
  readonly error?: string;
  /** Only runs that started before this time, in milliseconds since the epoch. */
  readonly beforeMs?: number;
  /** Only runs that started at this time or later. */
  readonly sinceMs?: number;
  readonly limit: number;
  /** How many records are looked at before the answer says that there may be more; default all. */
  readonly effort?: number;
}

export interface RunList {
  readonly runs: readonly RunRecord[];
  /** Whether there are more than `limit`, or more than fit into an answer. */
  readonly more: boolean;
}

export interface LogQuery {
  /** Counted from 0 over all lines of the run. */
  readonly after: number;
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface RunLog {
  readonly id: string;
  /** The number of the first of `lines`; more than asked for where lines were not kept. */
  readonly from: number;
  readonly lines: readonly RunLine[];
  /** Whether the run has ended, so that no line will follow. */
  readonly ended: boolean;
}

export interface ObjectQuery {
  readonly hook?: string;
  /** `NS/NAME`, `NAME` or `KIND/NS/NAME`. */
  readonly object?: string;
}

/** What became of the last run about an object. */
export interface ObjectOutcome {
  readonly hook: string;
  readonly binding: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The last `metadata.generation` that a run of it saw. */
  readonly generation?: number;
  readonly runId: string;
  readonly attempt: number;
  readonly outcome: RunOutcomeName;
  /** When that run ended. */
  readonly at: string;
  /** When it is run again; absent where nothing is planned. */
  readonly again?: string;
  /** Why it failed, or what the hook said, shortened. */
  readonly message?: string;
  /** Whether it was given up. */
  readonly dead?: boolean;
}

/** The recordings of runs, for those who ask. `id` is that of a run, whole. */
export interface RecordingControl {
  state(id: string): RecordingState;
  /** The recording in gzip; undefined where there is none any more. */
  read(id: string): Promise<Uint8Array | undefined>;
}

/** Whether there is a recording of a run, and why not. */
export type RecordingState =
  | { readonly type: 'kept'; readonly bytes: number }
  | { readonly type: 'none'; readonly why: string };

/** Whether an object is the one that is meant by `NS/NAME`, `NAME` or `KIND/NS/NAME`. */
export function isObjectMeant(
  meant: string,
  { kind, namespace = '', name }: Pick<RunObject, 'kind' | 'namespace' | 'name'>,
): boolean {
  const [first = '', second, third] = meant.split('/');
  if (second === undefined) return first === name;
  const isKind = first.toLowerCase() === kind.toLowerCase();
  if (third !== undefined) return isKind && second === namespace && third === name;
  return second === name && (first === namespace || (namespace === '' && isKind));
}
