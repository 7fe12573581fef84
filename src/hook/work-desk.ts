/*
 * What a worker asks of the operator, and what it is answered: the door between the server that workers reach and what
 * hands runs out to them. A worker says hello, gets a name and terms, and asks for runs; it says at each beat which runs it
 * has. Each time that a run is handed out it has a new epoch. What must hold: a run is with one worker at a time, and only
 * its last epoch counts; a worker that was silent for `silenceMs` has ended what it ran, by itself, before the operator
 * hands it out again; and a worker gets no run of a hook whose files are not those of the operator.
 */

import type { DeskAnswer, DeskCaller, RemoteLine, RemoteResult, RemoteRun } from './remote-run.ts';

/** What a worker says of itself. */
export interface WorkerHello {
  /** Whose runs it wants: that of `executor.workers.pool`. */
  readonly pool: string;
  /** The digest of its hooks and its version; see `hooksDigest`. */
  readonly hooks: string;
  /** How many runs it executes at the same time. */
  readonly capacity: number;
  /** For people. */
  readonly version: string;
}

/** What the operator grants a worker. */
export interface WorkerTerms {
  /** The name of the worker from now on, which nobody can guess. */
  readonly worker: string;
  /** How often the worker has to say which runs it has. */
  readonly beatMs: number;
  /**
   * After so long without an answer to a beat the hooks of the worker must have ended, counted by the worker from when it
   * sent the last one that was answered, by the operator from when it got the last one.
   */
  readonly silenceMs: number;
}

/** Which worker asks. */
export interface WorkerTicket {
  readonly worker: string;
  readonly caller: DeskCaller;
}

/** A run that was handed out, and how often. */
export interface HeldRun {
  readonly runId: string;
  readonly epoch: number;
}

/** Who asks about which run. */
export interface WorkTicket extends WorkerTicket, HeldRun {}

/** A run that a worker gets. */
export interface HandedRun {
  readonly run: RemoteRun;
  readonly epoch: number;
  /** Added to the environment of the hook. */
  readonly env?: Readonly<Record<string, string>>;
  /** The binding contexts as JSON, in chunks; absent: they are long, and are to be asked for. */
  readonly contexts?: readonly Uint8Array[];
}

/** A run that a worker has to end, and why; where `isOver`, its result does not count any more. */
export interface RunToEnd extends HeldRun {
  readonly why: string;
  readonly isOver: boolean;
}

/** How long something is waited for at most; `signal` aborts when the worker waits no more. */
export interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** What the server calls; no function rejects. */
export interface WorkDesk {
  /** A worker has come; refused with 403 where it may not work, with 503 where this replica does not lead. */
  readonly hello: (hello: WorkerHello, caller: DeskCaller) => DeskAnswer<WorkerTerms>;
  /**
   * A worker is there, and has these runs; answers at once which of them are to be ended. What it has not named for longer
   * than a beat takes was lost on its way, and is handed out again.
   */
  readonly beat: (ticket: WorkerTicket, held: readonly HeldRun[]) => DeskAnswer<readonly RunToEnd[]>;
  /** Waits until runs of the worker are to be ended that it was not told of by this, and answers with none after `waitMs`. */
  readonly ends: (ticket: WorkerTicket, waiting: Waiting) => Promise<DeskAnswer<readonly RunToEnd[]>>;
  /** Hands out `free` runs at most, and waits for `waitMs` at most until there is one. */
  readonly claim: (ticket: WorkerTicket, free: number, waiting: Waiting) => Promise<DeskAnswer<readonly HandedRun[]>>;
  /** Whether a ticket counts, which is asked before a long body is read. */
  readonly holds: (ticket: WorkTicket) => DeskAnswer<undefined>;
  /** The binding contexts as JSON, in chunks. */
  readonly contexts: (ticket: WorkTicket) => DeskAnswer<readonly Uint8Array[]>;
  readonly output: (ticket: WorkTicket, lines: readonly RemoteLine[]) => DeskAnswer<undefined>;
  /** Takes a result; the same one again is taken, too. */
  readonly result: (ticket: WorkTicket, result: RemoteResult) => DeskAnswer<undefined>;
  /** A worker goes, and has no run any more: what it had is handed out again. */
  readonly leave: (ticket: WorkerTicket) => DeskAnswer<undefined>;
}

/** Contexts of more bytes are asked for by themselves, so that a run is known to have arrived before they have. */
export const INLINE_CONTEXT_BYTES = 256 * 1024;
/** How many runs a worker may have at the same time. */
export const MAX_CAPACITY = 256;
