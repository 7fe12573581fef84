import type { KubernetesBinding, OnStartupBinding, ScheduleBinding, WatchEvent } from './binding.ts';

/** Something that happened to a binding: made by a source, carried by a task, turned into a context at the run. */
export type Trigger =
  | { readonly type: 'onStartup'; readonly binding: OnStartupBinding }
  | ScheduleTrigger
  | { readonly type: 'synchronization'; readonly binding: KubernetesBinding }
  | EventTrigger;

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
