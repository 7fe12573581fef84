import type { ReconcileReason } from './trigger.ts';
import type { WatchEvent } from './binding.ts';

/** One thing that a hook gave up: references to what triggered it, never the contents of an object. */
export interface DeadLetter {
  /** Eight hexadecimal digits; the same for the same hook, binding and object. */
  readonly id: string;
  readonly hook: string;
  /** Empty for onStartup. */
  readonly binding: string;
  readonly trigger: LetterTrigger;
  readonly why: 'permanent' | 'exhausted';
  /** One word that the hook gave, if any. */
  readonly reason?: string;
  /** What the hook said, or a summary of its error; at most 512 characters. */
  readonly message: string;
  /** Failed attempts. */
  readonly attempts: number;
  /** When the first attempt was queued, in milliseconds since the epoch; kept while the letter is replaced. */
  readonly firstAtMs: number;
  /** When it was given up last. */
  readonly lastAtMs: number;
  /** The id of the last attempt. */
  readonly runId: string;
  /** A hash of the content of the hook's file when it was given up; absent while it is not known yet. */
  readonly fingerprint?: string;
  /** The slice of its object; absent where objects are not divided, or it is about no object of a slice. */
  readonly slice?: number;
}

/** What triggered a run, by reference. */
export type LetterTrigger =
  | { readonly type: 'onStartup' }
  | { readonly type: 'schedule'; readonly runId: string; readonly scheduledAtMs: number }
  | { readonly type: 'http'; readonly runId: string }
  | {
      readonly type: 'synchronization';
      readonly kind: string;
      readonly apiVersion?: string;
      /** The slice whose objects it had; absent: all. */
      readonly slice?: number;
    }
  | ({ readonly type: 'event'; readonly watchEvent: WatchEvent } & LetterObject)
  | ({ readonly type: 'reconcile'; readonly reason: ReconcileReason } & LetterObject);

/** An object of a letter; what is not known is absent. */
export interface LetterObject {
  readonly kind: string;
  readonly apiVersion?: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
}

/** A letter as `hooklet dead list` shows it. */
export interface DeadLetterStatus extends DeadLetter {
  /** The hook beside what it was then; `unknown` when it was not compared. */
  readonly hookIs: 'same' | 'changed' | 'gone' | 'unknown';
}

/** Which letters; a letter must match each field that is given. */
export interface DeadFilter {
  readonly id?: string;
  /** One of these. */
  readonly ids?: readonly string[];
  readonly hook?: string;
  /** `reason` or `why` of the letter. */
  readonly reason?: string;
  /** `namespace/name`, or `name` for a cluster-scoped object. */
  readonly object?: string;
}

/** What became of a retry. */
export interface DeadRetried {
  readonly retried: number;
  /** Letters whose hook or binding is gone: they are kept. */
  readonly hookGone: number;
  /** Letters whose object is gone, with a binding that wants no deletions: they are dropped. */
  readonly objectGone: number;
}

/** The commands for the dead letters of a running operator. */
export interface DeadControl {
  /** All letters, the last given up first. */
  list(): Promise<readonly DeadLetterStatus[]>;
  /** Runs what the letters stand for again; they are dropped. */
  retry(filter: DeadFilter): Promise<DeadRetried>;
  /** Forgets letters; resolves to their number. */
  drop(filter: DeadFilter): Promise<number>;
}
