/** How a hook says that its work on a context ended, best first. */
export type ResultOutcome = 'done' | 'later' | 'failed' | 'permanent';

/** What a hook wrote to `RESULT_PATH`, parsed; the fields of the whole run, and those of single contexts. */
export interface HookResult extends ContextResult {
  /** By the index of the context in the file of binding contexts. A context that is not named has the whole result. */
  readonly contexts: ReadonlyMap<number, ContextResult>;
  /** JSON text, at most 64 KiB: kept with the record of the run, and given to the next attempt as `previous`. */
  readonly output?: string;
}

/** What a hook says about one context. */
export interface ContextResult {
  /** Makes the outcome by the exit code worse, never better. */
  readonly outcome?: ResultOutcome;
  /** With `later` and `failed`: when to run again. With `done`: when to come again. */
  readonly retryAfterMs?: number;
  /** One word in CamelCase. */
  readonly reason?: string;
  /** At most 1 KiB. */
  readonly message?: string;
  readonly conditions: readonly Condition[];
  /** Further fields of the object's status. */
  readonly status?: Readonly<Record<string, unknown>>;
  readonly events: readonly ResultEvent[];
  /** Why the hook does not work on the object until something changes; it is no failure. */
  readonly refused?: Refusal;
  /** Only of a Reconcile: what is kept with the object, as JSON text; `null` keeps nothing. Absent: it stays. */
  readonly state?: string;
  /** Only of a Reconcile: what should be there. Absent: leave all as they are. */
  readonly children?: readonly DesiredChild[];
  /** Only of a Reconcile with `finalizing`: the finalizer may be removed. */
  readonly finalized?: boolean;
}

/** A condition of an object's status; the runner adds `observedGeneration` and `lastTransitionTime`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Why a hook does not work on an object. */
export interface Refusal {
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** A Kubernetes Event to write, about the object of the context unless it names another. */
export interface ResultEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly object?: ObjectReference;
  /** A word of the author: for the object of the context, the Event is told once with it. */
  readonly once?: string;
}

/** An object by kind and name. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for a cluster-scoped object. */
  readonly namespace?: string;
  readonly name: string;
}

/** What happens to a child that differs from what should be there. */
export type OnChange = 'Apply' | 'Recreate' | 'OnDelete' | 'RollingRecreate';

/** One object that should be there. */
export interface DesiredChild {
  readonly object: Readonly<Record<string, unknown>>;
  /** Children that must be ready before this one is written, as `Kind/name` or `name`. */
  readonly after: readonly string[];
}
