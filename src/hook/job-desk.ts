import type { OutcomeCodes } from './binding.ts';

/*
 * What the Pod of a Job asks of the operator, and what it is answered: the door between the server that Pods reach and
 * what executes runs as Jobs, and the words on the wire. A Pod claims its run once and gets an epoch; everything later
 * carries it. What must hold: of two Pods of one Job, and of two leaders, only the last claim that was granted counts,
 * and nobody sees or answers a run but the Pod that claimed it.
 */

/** The Pod that asks, as its token says. */
export interface JobCaller {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
}

/** Who asks about which run; `epoch` is that of the claim. */
export interface JobTicket {
  /** The name of the Job. */
  readonly job: string;
  readonly caller: JobCaller;
  readonly epoch: number;
}

/** An answer, or why there is none; the message is for the log of the Pod. */
export type JobAnswer<T> =
  | { readonly type: 'ok'; readonly value: T }
  | { readonly type: 'refused'; readonly status: JobRefusalStatus; readonly message: string };

/**
 * 403: not this Pod's run. 404: no such run is known here. 409: another claim counts, so the Pod must end its hook. 410: the
 * run has ended. 503: this replica does not lead, or has just begun to: ask again, or ask another.
 */
export type JobRefusalStatus = 403 | 404 | 409 | 410 | 503;

/** A run, as the Pod that claimed it gets it. */
export interface JobClaim {
  readonly epoch: number;
  readonly runId: string;
  readonly attempt: number;
  /** The name of the hook, which is its path in the hooks folder. */
  readonly hook: string;
  /** SHA-256 of the file of the hook, in hex, that the operator has: another one must not be run. */
  readonly hookHash: string;
  readonly type: 'process' | 'warm';
  readonly timeoutMs?: number;
  readonly outcome?: OutcomeCodes;
  readonly plainExitCodes: boolean;
  /** How long background jobs that hold the output of the hook are waited for; absent: the default of the runner. */
  readonly backgroundLimitMs?: number;
  readonly traceparent?: string;
  /** Size of the binding contexts, as JSON. */
  readonly contextBytes: number;
  /** Whether the contexts can still be had; false for a claim by the Pod that has them, after the operator changed. */
  readonly hasContexts: boolean;
}

/** A line that the hook printed. */
export interface JobLine {
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
  /** Of an entry that a warm hook passed to its `log`, whose message is `line`; absent: the line was printed. */
  readonly entry?: JobLogEntry;
}

export interface JobLogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The files of a hook by name; one that it did not write is empty. */
export interface JobFiles {
  readonly patch: string;
  readonly metrics: string;
  readonly admission: string;
  readonly conversion: string;
  readonly result: string;
}

/** The order of the files behind the first line of a result. */
export const JOB_FILES = ['patch', 'metrics', 'admission', 'conversion', 'result'] as const;

export interface JobCost {
  readonly durationMs: number;
  readonly userCpuMs?: number;
  readonly systemCpuMs?: number;
  readonly maxRssBytes?: number;
}

/** How a run ended, as the Pod sends it. */
export type JobResult =
  | { readonly type: 'exited'; readonly cost: JobCost; readonly isLater: boolean; readonly files: JobFiles }
  | {
      readonly type: 'failed';
      readonly by: 'hook' | 'output' | 'environment';
      /** As the local executor says it. */
      readonly message: string;
      readonly exitCode?: number;
      readonly signal?: string;
      readonly timedOut: boolean;
      readonly isPermanent: boolean;
      readonly isCutOff: boolean;
      readonly cost?: JobCost;
      readonly files?: JobFiles;
    }
  /** By a sidecar: the exit code of the hook is in the status of its Pod. */
  | { readonly type: 'files'; readonly files: JobFiles }
  /** By a sidecar that could not read what the hook wrote. */
  | { readonly type: 'unreadable'; readonly message: string };

/** What the server calls; no function rejects. */
export interface JobDesk {
  /** Claims a run, or claims it anew for the Pod that has it, as after a change of the leader. */
  readonly claim: (job: string, caller: JobCaller, signal: AbortSignal) => Promise<JobAnswer<JobClaim>>;
  /** The binding contexts as JSON, in chunks. */
  readonly contexts: (ticket: JobTicket) => JobAnswer<readonly Uint8Array[]>;
  /** Without lines it says only that the Pod is there, and whose epoch counts. */
  readonly output: (ticket: JobTicket, lines: readonly JobLine[]) => JobAnswer<undefined>;
  /** Takes a result; the same one again is taken, too. */
  readonly result: (ticket: JobTicket, result: JobResult) => JobAnswer<undefined>;
  /**
   * Waits for `waitMs` at most for the end of the run, after which the Pod may end. With 0 it says only whether the ticket
   * counts, which is asked before a body is read.
   */
  readonly fate: (ticket: JobTicket, waitMs: number, signal: AbortSignal) => Promise<JobAnswer<'waiting' | 'ended'>>;
}

/** The audience of the token of a Pod, which opens nothing but this. */
export const JOB_AUDIENCE = 'hooklet';

/** The variables of the container that asks. */
export const JOB_ENV = {
  job: 'HOOKLET_JOB',
  /** Addresses of replicas such as `https://hooklet-jobs.ns.svc:9443`, with commas; each may resolve to several. */
  urls: 'HOOKLET_JOB_URLS',
  /** PEM of what signs the certificates of replicas. */
  authority: 'HOOKLET_JOB_CA',
  tokenFile: 'HOOKLET_JOB_TOKEN_FILE',
} as const;

/** Where the files of a run are in both containers of a Pod with a sidecar. */
export const JOB_FOLDER = '/hooklet/run';
/** Where the token is mounted. */
export const JOB_TOKEN_FILE = '/var/run/secrets/hooklet.dev/token';
/** The container with the hook, and the sidecar. */
export const JOB_CONTAINERS = { hook: 'hook', sidecar: 'hooklet' } as const;
/** Of a result: the files together, and the line before them. */
export const MAX_RESULT_BYTES = 64 * 1024 * 1024;
export const MAX_RESULT_HEAD_BYTES = 64 * 1024;
