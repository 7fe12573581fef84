import type { JsonObject } from './happened.ts';
import type { Manifest } from './world.ts';

export interface RunHookOptions {
  /** `onStartup`, `Schedule`, `Synchronization`, `Added`, `Modified`, `Deleted` or `Reconcile`; this or `contexts`. */
  readonly event?: string;
  /** The name of the binding; absent: the only one that matches. */
  readonly binding?: string;
  /** The object of the event. */
  readonly object?: Manifest;
  /** Further objects, which are in the snapshots. */
  readonly objects?: readonly Manifest[];
  /** The binding contexts as they are. */
  readonly contexts?: readonly object[];
  /** Added to the environment of the hook. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the run. */
  readonly signal?: AbortSignal;
}

/** What a hook did and asked for; nothing of it was carried out. */
export interface HookRunResult {
  readonly outcome: 'done' | 'later' | 'failed' | 'permanent';
  /** Absent for `later`, for warm hooks that failed, and for a hook that was ended by a signal. */
  readonly exit?: number;
  /** Why the run failed. */
  readonly message?: string;
  /** The lines that it printed, and what a warm hook logged. */
  readonly output: readonly string[];
  /** The binding contexts that it was given. */
  readonly contexts: readonly JsonObject[];
  readonly patches: readonly Readonly<Record<string, unknown>>[];
  readonly metrics: readonly Readonly<Record<string, unknown>>[];
  /** What it wrote to RESULT_PATH, checked; that of single contexts is in the map `contexts`. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** The answer of an admission webhook or a converter, as it was written. */
  readonly answer?: unknown;
  /** Likely mistakes. */
  readonly warnings: readonly string[];
}

/** Runs one hook once, without a world. Rejects for a hook that is broken, and for output that cannot be read. */
export declare function runHook(file: string, options: RunHookOptions): Promise<HookRunResult>;
