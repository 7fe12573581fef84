import type { MutatingDeclaration, ValidatingDeclaration } from './admission.ts';
import type { ConversionDeclaration } from './conversion.ts';
import type { HttpDeclaration } from './http.ts';
import type { KubernetesObject, ObjectLike } from './kubernetes-object.ts';

/**
 * The built-in kinds by their names: for each its `apiVersion`, and the type of an `object`. The types of the package
 * fill it, and it is empty in the sources.
 */
export interface BuiltInKinds {}

// Keys of type parameters: they exist only in types, never in values.
declare const element: unique symbol;
declare const event: unique symbol;

/** The bindings of a hook; the keys are their names. */
export type Bindings = Readonly<Record<string, Declaration>>;

export type Declaration =
  | OnStartupDeclaration
  | ScheduleDeclaration
  | KubernetesDeclaration<unknown, unknown>
  | HttpDeclaration
  | ValidatingDeclaration<unknown>
  | MutatingDeclaration<unknown>
  | ConversionDeclaration;

export interface OnStartupDeclaration {
  readonly type: 'onStartup';
  readonly order: number;
  readonly lock?: LockOptions;
}

/** A lock that runs hold: the name of a Lease, or more about it. */
export type LockOptions =
  | string
  | {
      readonly name: string;
      /** Default: that of hooklet. */
      readonly namespace?: string;
      /** A duration such as `10m`: how long a run waits until that is a failure; default: as for `later`. */
      readonly wait?: string;
    };

export interface ScheduleDeclaration {
  readonly type: 'schedule';
  readonly crontab: string;
  readonly options: ScheduleOptions;
}

/** `Element` is the type of an item of a snapshot, `EventFields` the type of the fields of an event. */
export interface KubernetesDeclaration<Element, EventFields> {
  readonly type: 'kubernetes';
  readonly options: KubernetesOptions;
  readonly [element]?: Element;
  readonly [event]?: EventFields;
}

/** How a binding's runs are queued. */
export interface QueueOptions {
  readonly allowFailure?: boolean;
  /** Default `main`. */
  readonly queue?: string;
  readonly group?: string;
  /** What happens when runs fail; default: they are tried again until one succeeds. */
  readonly retry?: RetryOptions;
}

/** What runs need before they begin. */
export interface LockedOptions {
  /** The lock that each run holds; default: that of the hook's settings. */
  readonly lock?: LockOptions;
}

/** How often and for how long a failed run is tried again; durations such as `30s`. */
export interface RetryOptions {
  /** How many attempts may fail in a row; default: no limit. */
  readonly max?: number;
  /** Delays that grow with each failure; default: those of shell-operator, from 5 s to 32 s. */
  readonly backoff?: {
    /** Default `5s`. */
    readonly first?: string;
    /** How much longer each delay is than the one before; default 2. */
    readonly factor?: number;
    /** Default `5m`. */
    readonly max?: string;
    /** The part of a delay that is random, from 0 to 1; default 0.2. */
    readonly jitter?: number;
  };
  /** From the first attempt; default: no limit, but `1h` for runs that say `later`. */
  readonly deadline?: string;
  /** What happens after `max` and `deadline`; default `dead`. */
  readonly onExhausted?: 'dead' | 'block' | 'drop';
}

/** When a schedule runs the hook, and what happens to overlapping and missed ticks. */
export interface ScheduleOptions extends QueueOptions, LockedOptions {
  /**
   * An IANA name such as `Europe/Berlin`; default: that of `TZ=` in the crontab, else that of the operator's process.
   */
  readonly timeZone?: string;
  /** What a tick does while an earlier run is queued or running; default `queue`. */
  readonly concurrency?: 'queue' | 'skip' | 'replace';
  /** What happens to ticks that passed while no operator ran; default `skip`. */
  readonly missed?: 'skip' | 'latest' | 'all';
  /** How many missed ticks `missed: all` runs late at most; default 100. */
  readonly missedLimit?: number;
  /** A duration such as `1h`: a tick that is late by more than this is not run. */
  readonly startingDeadline?: string;
  /** A duration such as `10m`: ticks are delayed by a part of it, which is always the same for a binding. */
  readonly jitter?: string;
  /** The schedule is suspended after this many failed attempts in a row; default: never. */
  readonly suspendAfter?: number;
}

/** What a `kubernetes` binding watches, and when it runs the hook. */
export interface KubernetesOptions extends QueueOptions, LockedOptions {
  /** Default: the version that the API server prefers. */
  readonly apiVersion?: string;
  readonly kind: string;
  /** Default all three; an empty list for a binding that only fills a snapshot. */
  readonly executeHookOnEvent?: readonly ('Added' | 'Modified' | 'Deleted')[];
  readonly executeHookOnSynchronization?: boolean;
  readonly waitForSynchronization?: boolean;
  readonly nameSelector?: { readonly matchNames: readonly string[] };
  readonly labelSelector?: LabelSelector;
  readonly fieldSelector?: { readonly matchExpressions: readonly FieldRequirement[] };
  readonly namespace?: {
    readonly nameSelector?: { readonly matchNames: readonly string[] };
    readonly labelSelector?: LabelSelector;
  };
  readonly jqFilter?: string;
  readonly jsonPathFilter?: string;
  readonly keepFullObjectsInMemory?: boolean;
  /** A duration such as `1h`: how often the hook gets a Synchronization with all objects again. */
  readonly resynchronizationPeriod?: string;
  /**
   * `byObject`: events of an object run in order, those of different objects independently of each other. Not with
   * `queue` or `group`.
   */
  readonly concurrency?: 'byObject';
  /** With `byObject`: how many objects run side by side, from 1 to 100; default 4. */
  readonly parallelism?: number;
  /** Events are held until none came for `quiet`, at the latest `max` after the first; durations such as `30s`. */
  readonly settle?: { readonly quiet: string; readonly max?: string };
  /**
   * By what `hooklet start --shards` divides the objects among replicas: default `namespace`, for a cluster-scoped kind
   * `uid`; with `none`, the hook runs on one replica.
   */
  readonly shard?: 'namespace' | 'uid' | 'none';
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '==' | 'Equals' | '!=' | 'NotEquals';
  readonly value: string;
}

type Unfiltered = KubernetesOptions & {
  readonly jqFilter?: never;
  readonly jsonPathFilter?: never;
  readonly keepFullObjectsInMemory?: true;
};
type BuiltInKind = Extract<keyof BuiltInKinds, string>;
type BuiltIn<Name extends BuiltInKind> = BuiltInKinds[Name] extends {
  readonly apiVersion: infer ApiVersion;
  readonly object: infer Kind;
}
  ? { readonly apiVersion: ApiVersion; readonly object: Kind }
  : never;
type Filtered = KubernetesOptions & ({ readonly jqFilter: string } | { readonly jsonPathFilter: string });

/** The result of a filter on an object; `filterResult` is null when the filter failed. */
export interface FilterOutcome<Result> {
  readonly filterResult: Result | null;
  readonly filterError?: string;
}

/** An object together with the result of its filter. */
export interface FilteredObject<Kind, Result> extends FilterOutcome<Result> {
  readonly object: Kind;
}

/** Runs the hook once at the start of the operator; hooks with a smaller order run first. */
export function onStartup(order: number, { lock }: LockedOptions = {}): OnStartupDeclaration {
  return { type: 'onStartup', order, ...(lock !== undefined && { lock }) };
}

/** Runs the hook on a schedule: five or six crontab fields, a descriptor such as `@daily`, or `@every 10m`. */
export function schedule(crontab: string, options: ScheduleOptions = {}): ScheduleDeclaration {
  return { type: 'schedule', crontab, options };
}

/**
 * Runs the hook when objects change, and gives it a snapshot of all of them. `Kind` is the type of the objects; of a
 * built-in kind it follows from `kind`, where `apiVersion` is absent or the kind's. With a filter, the only type parameter is the type of the filter's results, and only the results are kept in memory. With a
 * filter and `keepFullObjectsInMemory: true`, both types are given, and the hook sees both.
 */
export function kubernetes<Name extends BuiltInKind>(
  options: Unfiltered & { readonly kind: Name; readonly apiVersion?: BuiltIn<Name>['apiVersion'] },
): KubernetesDeclaration<BuiltIn<Name>['object'], { readonly object: BuiltIn<Name>['object'] }>;
// This overload has no type parameters, because TypeScript would infer them from the context instead of using a
// default.
export function kubernetes(
  options: Unfiltered,
): KubernetesDeclaration<KubernetesObject, { readonly object: KubernetesObject }>;
export function kubernetes<Kind extends ObjectLike>(
  options: Unfiltered,
): KubernetesDeclaration<Kind, { readonly object: Kind }>;
export function kubernetes<Result = unknown>(
  options: Filtered & { readonly keepFullObjectsInMemory?: false },
): KubernetesDeclaration<Result | null, FilterOutcome<Result>>;
export function kubernetes<Kind extends ObjectLike, Result>(
  options: Filtered & { readonly keepFullObjectsInMemory: true },
): KubernetesDeclaration<FilteredObject<Kind, Result>, FilteredObject<Kind, Result>>;
export function kubernetes(options: KubernetesOptions): KubernetesDeclaration<unknown, unknown> {
  return { type: 'kubernetes', options };
}
