import type { DeadControl } from '../../hook/dead-control.ts';
import type { OperatorView } from '../../hook/operator-view.ts';
import type { PauseControl } from '../../hook/pause-control.ts';
import type { ScheduleControl } from '../../hook/schedule-control.ts';
import type { HealthCheck } from '../health.ts';

/** What the page shows of an operator, and what it changes. Times are milliseconds since the epoch. */
export interface PageModel {
  readonly view: OperatorView;
  readonly schedules: ScheduleControl;
  readonly dead: DeadControl;
  readonly pauses: PauseControl;
  /** Why nothing can be changed here; undefined when it can. */
  readonly refusal: () => string | undefined;
  readonly hooks: () => Promise<readonly HookFacts[]>;
  readonly watches: () => readonly WatchFacts[];
  /** What differs in the environment that hooks had at two times; undefined where one is not known. */
  readonly environmentChange: (beforeMs: number, afterMs: number) => EnvironmentChange | undefined;
  readonly replica: () => ReplicaFacts;
  /** What the API server knows of the replicas beside this one; resolves within seconds, whatever it does. */
  readonly neighbors: () => Promise<NeighborFacts>;
  readonly curves: () => readonly Minute[];
  /** The fields that differ between two states of an object, as `spec.replicas: 1 → 3`; values of a Secret are masked. */
  readonly changeTexts: (states: ObjectStates) => readonly string[];
  /** How long a run of this hook may take; undefined without a limit. */
  readonly timeoutOf: (hook: string) => number | undefined;
  /** Undefined where the memory of the container has no limit, or it is not known. */
  readonly memory: () => ContainerMemory | undefined;
  /** Grows whenever a run begins, ends or prints, and when a task is queued. */
  readonly version: () => number;
}

/** A hook as it was understood. */
export interface HookFacts {
  readonly name: string;
  readonly type: 'process' | 'warm';
  /** Whether it follows events, waits for its turn at the start, or could not be loaded. */
  readonly state: 'working' | 'starting' | 'broken';
  /** Why it could not be loaded. */
  readonly problem?: string;
  /** A line for each binding, as `hooklet check` prints it. */
  readonly bindings: readonly string[];
  readonly warnings: readonly string[];
  /** Of the content of its file. */
  readonly hash?: string;
  /** Settings that are not the default, as text. */
  readonly settings: readonly string[];
}

/** What a kubernetes or reconcile binding watches. */
export interface WatchFacts {
  readonly hook: string;
  readonly binding: string;
  readonly what: string;
  readonly isSynced: boolean;
  readonly problem?: string;
  readonly lastContactAtMs?: number;
  /** Absent for the watches of a reconcile binding. */
  readonly objects?: number;
  /** Changes of objects since the start. */
  readonly changes?: number;
  /** Lists that were repeated and watches opened again for the kind, by reason. */
  readonly restarts: readonly string[];
  /** Mean time of the filter for one object, in milliseconds. */
  readonly filterMs?: number;
}

export interface ReplicaFacts {
  readonly name: string;
  readonly version: string;
  readonly startedAtMs: number;
  readonly memoryBytes: number;
  readonly lease?: string;
  readonly checks: readonly HealthCheck[];
  readonly certificates: readonly { readonly which: string; readonly expiresAtMs: number }[];
}

/** What the operator and all hooks that run now use together. */
export interface ContainerMemory {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** The replicas that the API server knows; what could not be read is missing, and in `problems`. */
export interface NeighborFacts {
  readonly lease?: LeaseFacts;
  readonly pods: readonly PodFacts[];
  readonly problems: readonly string[];
}

/** Who leads. */
export interface LeaseFacts {
  /** The name of the Pod and a random id; empty when nobody holds it. */
  readonly holder: string;
  /** How often it was taken from another. */
  readonly transitions: number;
  /** RFC 3339. */
  readonly renewed?: string;
}

export interface PodFacts {
  readonly name: string;
  readonly phase: string;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly node: string;
}

/** What differs between two environments: names, and hashes of values. */
export interface EnvironmentChange {
  /** The number of variables that are the same. */
  readonly same: number;
  /** Without a hash where the variable is not there. */
  readonly changes: readonly { readonly name: string; readonly before?: string; readonly after?: string }[];
}

/** An object before and after a change; undefined: it is not there. */
export interface ObjectStates {
  readonly before: unknown;
  readonly after: unknown;
  readonly isSecret: boolean;
}

/** What happened in one minute. */
export interface Minute {
  readonly atMs: number;
  readonly runs: number;
  readonly failures: number;
  /** The longest time that a run of this minute had waited in its queue. */
  readonly waitMs: number;
  /** The number of tasks in all queues at the end of it. */
  readonly queued: number;
}
