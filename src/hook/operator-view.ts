import type { ObjectOutcome, RecordingControl, RunControl } from './run-control.ts';
import type { RunRecord } from './run-record.ts';

/** What a running operator tells about itself. Times are RFC 3339; every list is bounded. */
export interface OperatorView {
  readonly runs: RunControl;
  /** Absent: runs are not recorded. */
  readonly recordings?: RecordingControl | undefined;
  status(): OperatorStatus;
  /** The queues that have tasks, in the order of their names. */
  queues(): readonly QueueView[];
  /** The number of runs that wait for the end of a pause, in no queue. */
  held(): number;
  /** One object of a hook; rejects with `UsageError` for one that no run is remembered of. */
  object(meant: string, hook: string | undefined): ObjectView;
  /** Which selector or filter decides whether an object runs a hook; rejects with `UsageError` for an unknown hook. */
  why(hook: string, object: string, signal: AbortSignal): Promise<WhyView>;
  /** Which operations of hooks were carried out since the start, for the rights that they need. */
  seen(): SeenOperations;
}

export interface SeenOperations {
  readonly operations: readonly SeenOperation[];
  /** The number of operations that were not remembered, because there are too many kinds of them. */
  readonly dropped: number;
}

/** Operations that have all but the name of their object in common. */
export interface SeenOperation {
  readonly hook: string;
  /** The operation, such as `MergePatch`; `Status` and `Event` for what a result says. */
  readonly verb: string;
  readonly kind: string;
  readonly apiVersion?: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly count: number;
}

/** The present, for one screen. */
export interface OperatorStatus {
  readonly time: string;
  readonly role: 'alone' | 'leading' | 'standing-by' | 'lost';
  /** Who leads, on a replica that stands by. */
  readonly leader?: string;
  readonly hooks: {
    readonly loaded: number;
    /** Hooks that have not begun to follow events: they wait for their turn at the start, or their Synchronization. */
    readonly starting: readonly string[];
    readonly broken: readonly { readonly hook: string; readonly message: string }[];
  };
  readonly running: readonly RunningView[];
  /** The number of runs beyond those in `running`. */
  readonly moreRunning?: number;
  readonly queues: readonly QueueView[];
  readonly failing: readonly FailingView[];
  readonly suspended: readonly { readonly hook: string; readonly binding: string }[];
  /** What a person paused. */
  readonly paused: readonly string[];
  /** The number of dead letters; absent where there are none. */
  readonly deadLetters?: number;
  /** The pools of workers; absent where no hook has workers. */
  readonly pools?: readonly PoolView[];
  /** Which slices of the objects this replica has; absent where they are not divided. */
  readonly shards?: ShardsView;
}

/** A replica among those that divide objects. */
export interface ShardsView {
  readonly state: 'joining' | 'member' | 'leaving' | 'ended' | 'lost';
  readonly identity: string;
  /** How many of the 64 slices it has. */
  readonly count: number;
  /** Which, such as `0-31, 40`. */
  readonly slices: string;
  readonly members: readonly { readonly identity: string; readonly state: string; readonly count: number }[];
  readonly moves: readonly { readonly slice: number; readonly from: string; readonly to: string }[];
  /** How many slices nobody has at the moment. */
  readonly unheld: number;
  /** What keeps this replica from its part. */
  readonly problem?: string;
}

/** The workers of a pool that are connected to this replica, and what they do. */
export interface PoolView {
  readonly pool: string;
  /** Those that have the hooks of the operator. */
  readonly workers: number;
  /** Those that have other hooks, and get no runs. */
  readonly outdated: number;
  /** How many runs `workers` can execute at the same time. */
  readonly capacity: number;
  /** How many runs they have. */
  readonly busy: number;
  /** How many runs wait for one of them. */
  readonly waiting: number;
}

export type RunningView = Pick<RunRecord, 'id' | 'hook' | 'binding' | 'queue' | 'reason' | 'attempt' | 'started'>;

/** A queue and what is in it. */
export interface QueueView {
  readonly queue: string;
  readonly running: number;
  readonly waiting: number;
  /** When the next task that waits for another attempt is run again. */
  readonly delayedUntil?: string;
  /** Since when a task waits until it may run. */
  readonly limitedSince?: string;
  /** What it waits for, such as `a worker of the pool gpu`; absent: the rate limit of its hook. */
  readonly limitedBy?: string;
  /** The first tasks, in their order. */
  readonly tasks: readonly QueuedTask[];
}

export interface QueuedTask {
  readonly hook: string;
  readonly binding: string;
  readonly reason: string;
  /** The number of its next or running attempt. */
  readonly attempt: number;
  readonly queued: string;
}

/** A binding whose last run failed, or several objects of it. */
export interface FailingView {
  readonly hook: string;
  readonly binding: string;
  /** The number of objects whose last run failed; 0 where the runs are about no object. */
  readonly objects: number;
  /** The latest of them. */
  readonly object?: string;
  readonly runId: string;
  readonly attempt: number;
  readonly at: string;
  readonly message?: string;
  readonly again?: string;
  readonly dead?: boolean;
}

/** An object as hooks know it. */
export interface ObjectView {
  readonly outcomes: readonly ObjectOutcome[];
  readonly children: readonly ChildView[];
  /** The last runs about it, the newest first. */
  readonly runs: readonly RunRecord[];
}

/** An object that a reconcile binding made for another. */
export interface ChildView {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** `Ready`, or why it is not. */
  readonly state?: string;
}

/** The answer to why an object runs a hook, or does not. */
export interface WhyView {
  readonly hook: string;
  readonly object: string;
  readonly bindings: readonly WhyBinding[];
  /** The last runs about the object, the newest first. */
  readonly runs: readonly RunRecord[];
}

export interface WhyBinding {
  readonly binding: string;
  readonly type: 'kubernetes' | 'reconcile';
  /** Whether a change of the object runs the hook. */
  readonly runs: 'yes' | 'no' | 'unknown';
  /** The checks in their order, up to the first that decides against it. */
  readonly checks: readonly WhyCheck[];
}

export interface WhyCheck {
  /** The field of the binding, such as `labelSelector`. */
  readonly field: string;
  readonly result: 'yes' | 'no' | 'unknown';
  readonly message: string;
}
