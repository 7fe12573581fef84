/*
 * A run that is executed in another Pod, as the Pod of a Job or a worker reports it: its lines, and how it ended. Both sides
 * import it: what asks, and the desks that answer.
 */

import type { OutcomeCodes } from './binding.ts';

/** The Pod that asks, as its token says. */
export interface DeskCaller {
  readonly namespace: string;
  /** Its ServiceAccount. */
  readonly account: string;
  readonly pod: string;
  readonly podUid: string;
}

/** An answer, or why there is none; the message is for the log of the Pod. */
export type DeskAnswer<T> =
  | { readonly type: 'ok'; readonly value: T }
  | { readonly type: 'refused'; readonly status: DeskRefusalStatus; readonly message: string };

/**
 * 403: not this Pod's run. 404: no such run, or worker, is known here. 409: another claim counts, so the Pod must end its hook. 410: the
 * run has ended. 503: this replica does not lead, or has just begun to: ask again, or ask another.
 */
export type DeskRefusalStatus = 403 | 404 | 409 | 410 | 503;

/** What another Pod must know of a run to execute it as the operator would. */
export interface RemoteRun {
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
}

/** A line that the hook printed. */
export interface RemoteLine {
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
  /** Of an entry that a warm hook passed to its `log`, whose message is `line`; absent: the line was printed. */
  readonly entry?: RemoteLogEntry;
}

export interface RemoteLogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The files of a hook by name; one that it did not write is empty. */
export interface RemoteFiles {
  readonly patch: string;
  readonly metrics: string;
  readonly admission: string;
  readonly conversion: string;
  readonly result: string;
}

/** The order of the files behind the first line of a result. */
export const REMOTE_FILES = ['patch', 'metrics', 'admission', 'conversion', 'result'] as const;

export interface RemoteCost {
  readonly durationMs: number;
  readonly userCpuMs?: number;
  readonly systemCpuMs?: number;
  readonly maxRssBytes?: number;
}

/** How a run ended, as the Pod sends it. */
export type RemoteResult =
  | { readonly type: 'exited'; readonly cost: RemoteCost; readonly isLater: boolean; readonly files: RemoteFiles }
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
      readonly cost?: RemoteCost;
      readonly files?: RemoteFiles;
    }
  /** By a sidecar: the exit code of the hook is in the status of its Pod. */
  | { readonly type: 'files'; readonly files: RemoteFiles }
  /** By a sidecar that could not read what the hook wrote. */
  | { readonly type: 'unreadable'; readonly message: string };

/** Of a result: the files together, and the line before them. */
export const MAX_RESULT_BYTES = 64 * 1024 * 1024;
export const MAX_RESULT_HEAD_BYTES = 64 * 1024;
