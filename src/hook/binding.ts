import type { Crontab } from '../crontab/crontab.ts';
import type { FieldRequirement, LabelSelector } from './selector.ts';

/** What happened to an object, as `executeHookOnEvent` and `watchEvent` say it. */
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
  /** What a tick does while an earlier run of this binding waits or goes on; `queue` is the peer's way. */
  readonly concurrency: 'queue' | 'skip' | 'replace';
  readonly missed: MissedPolicy;
  /** A tick that cannot be pushed within this time is missed; absent: no limit. */
  readonly startingDeadlineMs?: number;
  /** Each tick is put off by a share of this that hook and binding decide, always the same; 0: none. */
  readonly jitterMs: number;
  readonly allowFailure: boolean;
  readonly queue: string;
  readonly group?: string;
  /** Effective list: the entry's own, then the members of its group. */
  readonly includeSnapshotsFrom: readonly string[];
}

/** What becomes of ticks that passed while nobody was there: none, the last one, or the last `limit` ones, is run late. */
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

/** Namespaces by name or by label; with a `labelSelector` the names are ignored, as the peer does. */
export type NamespaceSelector =
  | { readonly type: 'names'; readonly names: readonly string[] }
  | { readonly type: 'labels'; readonly labelSelector: LabelSelector };
