import type { Crontab } from '../crontab/crontab.ts';
import type { FieldRequirement, LabelSelector } from './selector.ts';

/** What happened to an object, in the words of `executeHookOnEvent` and `watchEvent`. */
export type WatchEvent = 'Added' | 'Modified' | 'Deleted';

/** A hook: one file, and what it binds to. */
export interface Hook {
  /** Path relative to the hooks folder, such as `002-x/startup_hook`. */
  readonly name: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** `process`: an executable started for each run; `warm`: a module that exports a definition, kept loaded. */
  readonly type: 'process' | 'warm';
  /** In the order of the config: onStartup, schedule, kubernetes. */
  readonly bindings: readonly Binding[];
  readonly settings: HookSettings;
}

/** The `settings` block; an absent field means no limit. */
export interface HookSettings {
  readonly executionMinIntervalMs?: number;
  readonly executionBurst?: number;
  /** Time limit of one run. */
  readonly timeoutMs?: number;
}

export type Binding = OnStartupBinding | ScheduleBinding | KubernetesBinding;

export interface OnStartupBinding {
  readonly type: 'onStartup';
  /** Smaller runs first; ties by path. */
  readonly order: number;
}

/** One entry of `schedule`, defaults filled in. */
export interface ScheduleBinding {
  readonly type: 'schedule';
  readonly name: string;
  readonly crontab: Crontab;
  /**
   * What a tick does while an earlier run of this binding is queued or running; `queue`, the default, is what
   * shell-operator does.
   */
  readonly concurrency: 'queue' | 'skip' | 'replace';
  readonly missed: MissedPolicy;
  /** A tick that could not be queued within this time after it was due counts as missed; absent: no limit. */
  readonly startingDeadlineMs?: number;
  /** Every tick is delayed by a fixed part of this, derived from the names of the hook and the binding; 0: no delay. */
  readonly jitterMs: number;
  readonly allowFailure: boolean;
  readonly queue: string;
  readonly group?: string;
  /** Effective list: the entry's own, then the members of its group. */
  readonly includeSnapshotsFrom: readonly string[];
}

/**
 * What happens to ticks that passed while no operator ran: none of them, the last one, or the last `limit` ones are run
 * late.
 */
export type MissedPolicy =
  | { readonly type: 'skip' }
  | { readonly type: 'latest' }
  | { readonly type: 'all'; readonly limit: number };

/** One entry of `kubernetes`, defaults filled in. */
export interface KubernetesBinding {
  readonly type: 'kubernetes';
  readonly name: string;
  readonly kind: string;
  readonly apiVersion?: string;
  readonly executeHookOnEvent: readonly WatchEvent[];
  readonly executeHookOnSynchronization: boolean;
  readonly waitForSynchronization: boolean;
  readonly keepFullObjectsInMemory: boolean;
  readonly filter?: Filter;
  /** Object names; absent or empty: all. */
  readonly names?: readonly string[];
  readonly labelSelector?: LabelSelector;
  readonly fieldSelector?: readonly FieldRequirement[];
  /** Absent: all namespaces. */
  readonly namespace?: NamespaceSelector;
  readonly allowFailure: boolean;
  readonly queue: string;
  readonly group?: string;
  /** Effective list: the entry's own, then the members of its group. */
  readonly includeSnapshotsFrom: readonly string[];
  readonly resynchronizationPeriodMs?: number;
}

/** The expression of `jqFilter` or `jsonPathFilter`, as written. */
export interface Filter {
  readonly type: 'jq' | 'jsonPath';
  readonly expression: string;
}

/** Namespaces by name or by label; with a `labelSelector` the names are ignored, as in shell-operator. */
export type NamespaceSelector =
  | { readonly type: 'names'; readonly names: readonly string[] }
  | { readonly type: 'labels'; readonly labelSelector: LabelSelector };
