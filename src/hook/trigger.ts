import type { KubernetesBinding, OnStartupBinding, ScheduleBinding, WatchEvent } from './binding.ts';

/** Something that happened to a binding: made by a source, carried by a task, turned into a context at the run. */
export type Trigger = QueuedTrigger | AskTrigger;

/** The door of sources for what goes through a queue: makes a trigger of one hook a task. */
export type Emit = (trigger: QueuedTrigger) => void;

/** One that goes through a queue. */
export type QueuedTrigger =
  | { readonly type: 'onStartup'; readonly binding: OnStartupBinding }
  | ScheduleTrigger
  | { readonly type: 'synchronization'; readonly binding: KubernetesBinding }
  | EventTrigger;

/** A request whose caller waits for the hook's response: it runs at once, beside the queues. */
export interface AskTrigger {
  readonly type: 'ask';
  readonly binding: AskBinding;
  /** `type` of the context, such as `Validating`. */
  readonly contextType: string;
  /** Further members of the context, such as `review`: JSON text by key. */
  readonly members: Readonly<Record<string, string>>;
}

/** What every binding has whose requests are answered. */
export interface AskBinding {
  readonly name: string;
  readonly includeSnapshotsFrom: readonly string[];
}

export interface ScheduleTrigger {
  readonly type: 'schedule';
  readonly binding: ScheduleBinding;
  readonly run: ScheduledRun;
}

/** One tick of a schedule that is to be run. A retry, also after a restart, keeps the run's id. */
export interface ScheduledRun {
  /** Made of hook, binding and tick, so that two replicas give the same tick the same id; letters, digits and `-`. */
  readonly runId: string;
  /** The tick, before any jitter; milliseconds since the epoch. */
  readonly scheduledAtMs: number;
  readonly reason: 'tick' | 'catch-up' | 'manual';
  /** Attempts before this task was made: of an operator that ended in the middle of them. */
  readonly attemptsBefore: number;
}

export interface EventTrigger {
  readonly type: 'event';
  readonly binding: KubernetesBinding;
  readonly watchEvent: WatchEvent;
  readonly item: SnapshotItem;
  /** The version that was seen; absent where the object was not. */
  readonly resourceVersion?: string;
}

/** One object as a binding sees it; also the shape of a snapshot's element and of `objects[]`. */
export interface SnapshotItem {
  readonly namespace: string;
  readonly name: string;
  /** The whole object as JSON text in UTF-8; absent with `keepFullObjectsInMemory: false`. */
  readonly object?: Uint8Array;
  /** JSON text; absent without a filter; `null` when the filter failed. */
  readonly filterResult?: string;
  /** Why the filter failed on this object. */
  readonly filterError?: string;
}

/** The objects of one kubernetes binding at one moment, sorted by namespace, then name. */
export type Snapshot = readonly SnapshotItem[];
