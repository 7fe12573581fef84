import type { KubernetesObject, ObjectLike } from './kubernetes-object.ts';

// They carry types only: no value ever has them.
declare const element: unique symbol;
declare const event: unique symbol;

/** The bindings of a hook; the keys are their names. */
export type Bindings = Readonly<Record<string, Declaration>>;

export type Declaration = OnStartupDeclaration | ScheduleDeclaration | KubernetesDeclaration<unknown, unknown>;

export interface OnStartupDeclaration {
  readonly type: 'onStartup';
  readonly order: number;
}

export interface ScheduleDeclaration {
  readonly type: 'schedule';
  readonly crontab: string;
  readonly options: ScheduleOptions;
}

/** `Element` is what snapshots hold, `EventFields` what an event brings. */
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
}

/** When a schedule runs the hook, and what becomes of ticks that come too soon or are missed. */
export interface ScheduleOptions extends QueueOptions {
  /** An IANA name such as `Europe/Berlin`; default: the zone of the process, or that of `TZ=` in the crontab. */
  readonly timeZone?: string;
  /** What a tick does while an earlier run waits or goes on; default `queue`. */
  readonly concurrency?: 'queue' | 'skip' | 'replace';
  /** What becomes of ticks while no operator was there; default `skip`. */
  readonly missed?: 'skip' | 'latest' | 'all';
  /** How many ticks `missed: all` makes up for; default 100. */
  readonly missedLimit?: number;
  /** A duration such as `1h`: a tick that is later than this is not run. */
  readonly startingDeadline?: string;
  /** A duration such as `10m`: ticks are put off by a part of it, always the same for a binding. */
  readonly jitter?: string;
}

/** What a `kubernetes` binding watches, and when it runs the hook. */
export interface KubernetesOptions extends QueueOptions {
  /** Absent: the version the server prefers. */
  readonly apiVersion?: string;
  readonly kind: string;
  /** Default all three; an empty list is for bindings that only fill a snapshot. */
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
  /** Such as `1h`: how often everything is given to the hook again. */
  readonly resynchronizationPeriod?: string;
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
type Filtered = KubernetesOptions & ({ readonly jqFilter: string } | { readonly jsonPathFilter: string });

/** What a filter made of an object; `filterResult` is null when the filter failed on it. */
export interface FilterOutcome<Result> {
  readonly filterResult: Result | null;
  readonly filterError?: string;
}

/** An object beside what the filter made of it. */
export interface FilteredObject<Kind, Result> extends FilterOutcome<Result> {
  readonly object: Kind;
}

/** Runs the hook once at the start of the operator; smaller orders first. */
export function onStartup(order: number): OnStartupDeclaration {
  return { type: 'onStartup', order };
}

/** Runs the hook by the clock: five or six crontab fields, `@daily` and the like, or `@every 10m`. */
export function schedule(crontab: string, options: ScheduleOptions = {}): ScheduleDeclaration {
  return { type: 'schedule', crontab, options };
}

/**
 * Runs the hook when objects change, and gives it all of them as a snapshot. `Kind` is the type of the objects. With a
 * filter, it is the type of the filter's results, and they are all that is kept in memory; with a filter and
 * `keepFullObjectsInMemory: true` the two types are given, and the hook sees both.
 */
// Without type parameters, or the default would be inferred from where the declaration is put.
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
