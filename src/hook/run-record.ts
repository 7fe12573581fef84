/**
 * What is remembered of one run, as it is kept in memory and on disk, sent over the control socket and printed with `-o
 * json`. Times are RFC 3339. It has no contents of objects. The lines that the hook printed are kept beside it.
 */
export interface RunRecord {
  readonly id: string;
  readonly hook: string;
  /** Empty for onStartup. */
  readonly binding: string;
  /** Empty for a run outside the queues. */
  readonly queue: string;
  /** Why it ran: `Added default/web, 3 more`. */
  readonly reason: string;
  /** From 1. */
  readonly attempt: number;
  /** The objects it was about; none for a tick or a Synchronization. */
  readonly objects: readonly RunObject[];
  /** The number of objects beyond those in `objects`. */
  readonly moreObjects?: number;
  readonly queued: string;
  readonly started: string;
  /** Absent while it runs. */
  readonly ended?: string;
  readonly waitedMs: number;
  readonly outcome: RunOutcomeName;
  /** What is at fault; only of a failed run. */
  readonly failedBy?: 'hook' | 'output' | 'patch' | 'environment';
  /** Another attempt is useless until the input changes. */
  readonly permanent?: boolean;
  /** Why it failed or was ended, shortened. */
  readonly error?: string;
  /** How its process ended, where it failed. */
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut?: boolean;
  readonly durationMs?: number;
  readonly userCpuMs?: number;
  readonly systemCpuMs?: number;
  readonly maxRssBytes?: number;
  /** The operations that were carried out, in their order. */
  readonly patches: readonly RunPatch[];
  /** The number of operations beyond those in `patches`. */
  readonly morePatches?: number;
  readonly warnings?: readonly string[];
  /** What the hook said in its result. */
  readonly result?: RunResult;
  /** Of the request of a webhook. */
  readonly request?: RunRequest;
  /** The ids that the callers of `http` bindings were given, the first of them; each attempt has the same. */
  readonly requestIds?: readonly string[];
  /** What happens after it; absent while it runs. */
  readonly next?: RunNext;
  /** Only where the contexts of the run ended in different ways. */
  readonly parts?: readonly RunPart[];
  /** The number of lines the hook printed; those at the end of them are kept. */
  readonly lines: number;
}

/** An object that a run was about. */
export interface RunObject {
  readonly kind: string;
  /** Absent for a cluster-scoped object. */
  readonly namespace?: string;
  readonly name: string;
  /** What happened: `Added`, `Modified`, `Deleted`, or the reason of a reconcile. */
  readonly event: string;
  /** `metadata.generation` as the run saw it; absent where it is not known. */
  readonly generation?: number;
}

export type RunOutcomeName = 'running' | 'succeeded' | 'later' | 'failed' | 'replaced' | 'interrupted';

/** A patch operation and its effect. */
export interface RunPatch {
  readonly operation: string;
  /** `apps/v1/Deployment/default/web`. */
  readonly target: string;
  readonly change: string;
}

/** The part of a hook's result that is kept. */
export interface RunResult {
  readonly reason?: string;
  readonly message?: string;
  /** JSON text. */
  readonly output?: string;
}

/** Who sent a request, and what became of it. */
export interface RunRequest {
  readonly user: string;
  /** Absent while it runs, and where its caller was told nothing, or to ask again. */
  readonly verdict?: 'allowed' | 'denied';
  /** What the hook said to it. */
  readonly message?: string;
}

/** What happens after a run. */
export interface RunNext {
  readonly type: 'done' | 'retry' | 'drop' | 'dead' | 'keep' | 'answer';
  /** When the next attempt is due, or the hook asked to come again. */
  readonly again?: string;
  /** Whether the next attempt holds up its queue, or others go ahead. */
  readonly at?: 'head' | 'later';
  /** Why it is not run again. */
  readonly why?: string;
}

/** Objects of a run that ended in the same way. */
export interface RunPart {
  readonly objects: readonly RunObject[];
  readonly outcome: RunOutcomeName;
  readonly error?: string;
  readonly next: RunNext;
}

/** A line that a hook printed, or an entry of the log of a warm hook. */
export interface RunLine {
  readonly stream: 'stdout' | 'stderr' | 'log';
  readonly line: string;
}

/** `default/web`, or `web` for a cluster-scoped object. */
export function objectText({ namespace = '', name }: Pick<RunObject, 'namespace' | 'name'>): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
