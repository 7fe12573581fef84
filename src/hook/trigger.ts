import type { AskBinding } from './ask-binding.ts';
import type { HttpBinding } from './http-binding.ts';
import type { OwnSlice } from './shard.ts';
import type { KubernetesBinding, OnStartupBinding, ReconcileBinding, ScheduleBinding, WatchEvent } from './binding.ts';

/** What makes a hook run: a source creates it, a task carries it, and each attempt turns it into a binding context. */
export type Trigger = QueuedTrigger | AskTrigger;

/** The door of sources for a trigger that goes through a queue: makes it a task. Bound to one hook. */
export type Emit = (trigger: QueuedTrigger) => void;

/** A trigger that goes through a queue. */
export type QueuedTrigger =
  | { readonly type: 'onStartup'; readonly binding: OnStartupBinding }
  | ScheduleTrigger
  | SynchronizationTrigger
  | EventTrigger
  | ReconcileTrigger
  | HttpTrigger;

/** The hook is to see all objects of a binding; with `slice` those alone that another replica has given. */
export interface SynchronizationTrigger {
  readonly type: 'synchronization';
  readonly binding: KubernetesBinding;
  readonly slice?: OwnSlice;
}

/** A request whose caller waits for the hook's response: the hook runs at once, outside of the queues. */
export interface AskTrigger {
  readonly type: 'ask';
  readonly binding: AskBinding;
  /** `type` of the context, such as `Validating`. */
  readonly contextType: string;
  /** Further members of the context, such as `review`: the JSON text of each value by its key. */
  readonly members: Readonly<Record<string, string>>;
  /** Whether the hook's patches, metrics and Events are dropped: the request must leave no trace. Default false. */
  readonly isDryRun?: boolean;
  /** What the request is about; absent for a conversion, which may be about many objects. */
  readonly about?: RequestSubject;
  /**
   * Returns what the response says of the request, if it is to be allowed. Throws `HookOutputError` where the response is
   * none: then the run has failed, and nothing of it is applied.
   */
  readonly check?: (response: AskResponse) => AskVerdict | undefined;
}

/** What a request is about, and who sent it. Strangers choose each text: it is cut, and printable. */
export interface RequestSubject {
  /** Such as `CREATE`. */
  readonly operation: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  /** `web-*` where the API server is to make the name; empty where there is none. */
  readonly name: string;
  readonly user: string;
}

/** What a hook decided about a request. */
export interface AskVerdict {
  readonly allowed: boolean;
  /** Why it is denied; empty where the hook gave no reason. */
  readonly message: string;
}

/** What the hook wrote for a caller; empty where it wrote nothing. */
export interface AskResponse {
  readonly admission: string;
  readonly conversion: string;
}

/** An HTTP request that an `http` binding took. It goes through a queue, as an event does. */
export interface HttpTrigger {
  readonly type: 'http';
  readonly binding: HttpBinding;
  /** What the caller was answered; the same for all attempts. Lower-case letters, digits and `-`. */
  readonly runId: string;
  readonly receivedAtMs: number;
  /** The user of the token, or `github` or `slack`. */
  readonly caller: string;
  /** The `request` of the context, as JSON text. */
  readonly request: string;
}

export interface ScheduleTrigger {
  readonly type: 'schedule';
  readonly binding: ScheduleBinding;
  readonly run: ScheduledRun;
}

/** The run of one tick of a schedule. Its id stays the same over retries and restarts of the operator. */
export interface ScheduledRun {
  /**
   * Derived from hook, binding and tick, so that two replicas give the same tick the same id; lower-case letters,
   * digits and `-`.
   */
  readonly runId: string;
  /** When the tick was due, without jitter; milliseconds since the epoch. */
  readonly scheduledAtMs: number;
  readonly reason: 'tick' | 'catch-up' | 'manual';
  /** Attempts that an earlier operator process began and did not finish; 0 for a new run. */
  readonly attemptsBefore: number;
}

export interface EventTrigger {
  readonly type: 'event';
  readonly binding: KubernetesBinding;
  readonly watchEvent: WatchEvent;
  readonly item: SnapshotItem;
  /** The version of the object that caused the event; absent when no version of it was seen. */
  readonly resourceVersion?: string;
  /** The version that the binding saw before this one; absent unless the watch brought the change between the two. */
  readonly previousVersion?: string;
  /** The own slice of the object; absent where objects are not divided. */
  readonly slice?: OwnSlice;
}

/** One object is to be looked at, whatever happened. What the hook is given of it is read when the run begins. */
export interface ReconcileTrigger {
  readonly type: 'reconcile';
  readonly binding: ReconcileBinding;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly reason: ReconcileReason;
  /** The own slice of the object; absent where objects are not divided. */
  readonly slice?: OwnSlice;
}

/**
 * Why an object is looked at: it changed, a child of it or an object it depends on did, or nothing did: at the `start`,
 * after `resyncPeriod`, when the hook asked for it (`again`) or was changed itself, or by hand.
 */
export type ReconcileReason =
  | 'changed'
  | 'deleted'
  | 'child'
  | 'watched'
  | 'start'
  | 'resync'
  | 'again'
  | 'hook-changed'
  | 'manual';

/** The own slice that a trigger is about; undefined where objects are not divided, or it is about no object. */
export function sliceOfTrigger(trigger: Trigger): OwnSlice | undefined {
  return 'slice' in trigger ? trigger.slice : undefined;
}

/** Whether what a trigger is about was given to another replica, which works on it now. */
export function isMoved(trigger: Trigger): boolean {
  return sliceOfTrigger(trigger)?.given.aborted === true;
}

/** One object as a binding sees it, in an event, in a snapshot, or in the `objects` of a Synchronization. */
export interface SnapshotItem {
  readonly namespace: string;
  readonly name: string;
  /** The whole object as JSON in UTF-8; absent with `keepFullObjectsInMemory: false`. */
  readonly object?: Uint8Array;
  /** JSON text; absent without a filter; `null` when the filter failed. */
  readonly filterResult?: string;
  /** Why the filter failed on this object. */
  readonly filterError?: string;
  /** The object has the annotation `hooklet.dev/pause`; absent otherwise. */
  readonly isPaused?: true;
}

/** The objects of one kubernetes binding at one moment, sorted by namespace, then by name. */
export type Snapshot = readonly SnapshotItem[];
