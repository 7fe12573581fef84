/*
 * What the Pod of a Job asks of the operator, and what it is answered: the door between the server that Pods reach and
 * what executes runs as Jobs, and the words on the wire. A Pod claims its run once and gets an epoch; everything later
 * carries it. What must hold: of two Pods of one Job, and of two leaders, only the last claim that was granted counts,
 * and nobody sees or answers a run but the Pod that claimed it.
 */

import type { DeskAnswer, DeskCaller, RemoteLine, RemoteResult, RemoteRun } from './remote-run.ts';

/** Who asks about which run; `epoch` is that of the claim. */
export interface JobTicket {
  /** The name of the Job. */
  readonly job: string;
  readonly caller: DeskCaller;
  readonly epoch: number;
}

/** A run, as the Pod that claimed it gets it. */
export interface JobClaim extends RemoteRun {
  readonly epoch: number;
  /** Whether the contexts can still be had; false for a claim by the Pod that has them, after the operator changed. */
  readonly hasContexts: boolean;
}

/** What the server calls; no function rejects. */
export interface JobDesk {
  /** Claims a run, or claims it anew for the Pod that has it, as after a change of the leader. */
  readonly claim: (job: string, caller: DeskCaller, signal: AbortSignal) => Promise<DeskAnswer<JobClaim>>;
  /** The binding contexts as JSON, in chunks. */
  readonly contexts: (ticket: JobTicket) => DeskAnswer<readonly Uint8Array[]>;
  /** Without lines it says only that the Pod is there, and whose epoch counts. */
  readonly output: (ticket: JobTicket, lines: readonly RemoteLine[]) => DeskAnswer<undefined>;
  /** Takes a result; the same one again is taken, too. */
  readonly result: (ticket: JobTicket, result: RemoteResult) => DeskAnswer<undefined>;
  /**
   * Waits for `waitMs` at most for the end of the run, after which the Pod may end. With 0 it says only whether the ticket
   * counts, which is asked before a body is read.
   */
  readonly fate: (ticket: JobTicket, waitMs: number, signal: AbortSignal) => Promise<DeskAnswer<'waiting' | 'ended'>>;
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
