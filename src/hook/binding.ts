import type { Crontab } from '../crontab/crontab.ts';
import type { AdmissionBinding, ConversionBinding } from './ask-binding.ts';
import type { HttpBinding } from './http-binding.ts';
import type { ExecutorRule } from './executor-rule.ts';
import type { OnChange } from './result.ts';
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
  /** In the order of `Binding`. */
  readonly bindings: readonly Binding[];
  readonly settings: HookSettings;
  /** Likely mistakes in its config, each with its path. */
  readonly warnings?: readonly string[];
}

/** The `settings` block; an absent field means no limit. */
export interface HookSettings {
  readonly executionMinIntervalMs?: number;
  readonly executionBurst?: number;
  /** Time limit of one run. */
  readonly timeoutMs?: number;
  /** What exit codes mean, for programs that do not use 75 and 78; a code in none of the lists is a failure. */
  readonly outcome?: OutcomeCodes;
  /** Of the bindings that have no rule of their own; they have it in their `retry` too. */
  readonly retry?: RetryRule;
  /** Of the bindings that have no lock of their own; they have it in their `lock` too. */
  readonly lock?: HookLock;
  /** Where its runs are executed; absent: in the Pod of the operator. */
  readonly executor?: ExecutorRule;
  /** Whether its runs are recorded where `--record` is given. Default true. */
  readonly record?: boolean;
  /** The fields that are masked in recordings, as keys that lead to them from anywhere; `*` is any key. */
  readonly redact?: readonly (readonly string[])[];
}

/** A lock that a run holds: a Lease that one holder has at a time. */
export interface HookLock {
  /** The name of the Lease. */
  readonly name: string;
  /** Absent: the namespace of hooklet. */
  readonly namespace?: string;
  /** How long a task waits for it until that counts as a failure; absent: as long as `later` may be said. */
  readonly waitMs?: number;
}

/** The exit codes of each outcome; no code is in two lists. */
export interface OutcomeCodes {
  /** Codes besides 0, which always succeeds. */
  readonly success?: readonly number[];
  /** Absent: 75, unless another list has it. */
  readonly later?: readonly number[];
  /** Absent: 78, unless another list has it. */
  readonly permanent?: readonly number[];
}

/** What happens when runs of a binding fail; an absent field has the default of shell-operator. */
export interface RetryRule {
  /** Attempts that may fail in a row; absent: no limit. */
  readonly max?: number;
  /** Absent: the delays of shell-operator. */
  readonly backoff?: BackoffRule;
  /** From the first attempt; after it, `later` and `failed` are exhausted. Default for `later`: 1 h. */
  readonly deadlineMs?: number;
  /** Default `dead` with `max` or `deadline`. */
  readonly onExhausted: 'dead' | 'block' | 'drop';
}

/** Delays after failures: `firstMs`, then each `factor` times the one before, at most `maxMs`. */
export interface BackoffRule {
  /** Default 5 s. */
  readonly firstMs: number;
  /** Default 2. */
  readonly factor: number;
  /** Default 5 min. */
  readonly maxMs: number;
  /** The part of a delay that is random, from 0 to 1. Default 0.2. */
  readonly jitter: number;
}

/** Act once on a burst: when no event came for `quietMs`, at the latest `maxMs` after the first. */
export interface SettleRule {
  readonly quietMs: number;
  readonly maxMs: number;
}

export type Binding =
  | OnStartupBinding
  | ScheduleBinding
  | KubernetesBinding
  | ReconcileBinding
  | AdmissionBinding
  | ConversionBinding
  | HttpBinding;

export interface OnStartupBinding {
  readonly type: 'onStartup';
  /** Smaller runs first; ties by path. */
  readonly order: number;
  readonly lock?: HookLock;
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
  readonly retry?: RetryRule;
  /** The schedule is suspended after this many failed runs in a row; absent: never. */
  readonly suspendAfter?: number;
  readonly lock?: HookLock;
  /** The format of a config without `configVersion`, in which its contexts are written; absent: v1. */
  readonly format?: 'v0';
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
  /** Of a part of a reconcile binding: its `optional`. */
  readonly isOptional?: true;
  readonly allowFailure: boolean;
  readonly queue: string;
  readonly group?: string;
  /** Effective list: the entry's own, then the members of its group. */
  readonly includeSnapshotsFrom: readonly string[];
  readonly resynchronizationPeriodMs?: number;
  readonly retry?: RetryRule;
  /**
   * `byObject`: the events of an object run in order, those of different objects independently of each other. Absent:
   * all in the order of the queue, as in shell-operator.
   */
  readonly concurrency?: 'byObject';
  /** With `byObject`: how many objects are worked on at the same time. */
  readonly parallelism?: number;
  readonly settle?: SettleRule;
  readonly lock?: HookLock;
  /** The format of a config without `configVersion`, in which its contexts are written; absent: v1. */
  readonly format?: 'v0';
}

/** One entry of `reconcile`, defaults filled in: the hook says what should be there for each object. */
export interface ReconcileBinding extends ObjectSelection {
  readonly type: 'reconcile';
  readonly name: string;
  /** Decides which changes of the object run the hook; absent: all but those of its status. */
  readonly filter?: Filter;
  readonly owns: readonly OwnedKind[];
  readonly watches: readonly WatchedKind[];
  readonly includeSnapshotsFrom: readonly string[];
  /** How many objects are worked on at the same time; `concurrency` in the config. Default 4. */
  readonly parallelism: number;
  /** Each object is looked at again in this time, spread over it; absent: never without a reason. */
  readonly resyncPeriodMs?: number;
  /** Whether the hook is called before an object is deleted. */
  readonly finalize: boolean;
  /** Whether all objects are looked at again when the content of the hook has changed. */
  readonly onHookChange: boolean;
  readonly retry: RetryRule;
  /** That of the hook. */
  readonly lock?: HookLock;
}

/** Which objects of a kind. */
export interface ObjectSelection {
  readonly kind: string;
  readonly apiVersion?: string;
  /** Object names; absent or empty: all. */
  readonly names?: readonly string[];
  readonly labelSelector?: LabelSelector;
  readonly fieldSelector?: readonly FieldRequirement[];
  /** Absent: all namespaces. */
  readonly namespace?: NamespaceSelector;
}

/** A kind whose objects the hook of a reconcile binding makes. */
export interface OwnedKind {
  readonly kind: string;
  readonly apiVersion?: string;
  /** Whether the hook does without the kind where the API server has none such. */
  readonly isOptional?: true;
  readonly onChange: OnChange;
  /** Whether a namespaced parent may have such children in other namespaces. Default false. */
  readonly otherNamespaces: boolean;
  readonly filter?: Filter;
  readonly keepFullObjectsInMemory: boolean;
}

/** A kind whose changes make a reconcile binding look at objects again. */
export interface WatchedKind extends ObjectSelection {
  readonly name: string;
  /** Whether the hook does without the kind where the API server has none such. */
  readonly isOptional?: true;
  /** From an object of this kind to the names of the objects it matters to: `name`, `namespace/name`, or a list. */
  readonly for: Filter;
  readonly filter?: Filter;
  readonly keepFullObjectsInMemory: boolean;
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
