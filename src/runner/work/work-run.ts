/*
 * A run that a worker is to execute, from its request until its end. It waits, is handed to a worker, waits again when it
 * was lost, and has ended in the end: with a result, or without. Each time it is handed out it has a new epoch. What must
 * hold: one worker has it at a time, and only its last epoch counts.
 */

import type { HandedRun, RunToEnd } from '../../hook/work-desk.ts';
import type { RemoteLine, RemoteRun } from '../../hook/remote-run.ts';
import { latch } from '../../lib/latch.ts';
import type { Execution, HookOutput } from '../executor.ts';
import { RemoteOutput } from '../remote-output.ts';

/** That a run is to be ended, and why. */
export interface EndOrder {
  readonly type: 'stopped' | 'overtime';
  readonly why: string;
}

/** How far a run has come. */
export type RunPhase =
  | { readonly type: 'waiting' }
  | {
      readonly type: 'handed';
      /** The name of the worker. */
      readonly worker: string;
      /** When it was handed out, or the worker last said that it has it. */
      readonly seenMs: number;
      /** Whether the worker has said that it has it. */
      readonly isSeen: boolean;
      readonly order?: EndOrder;
    }
  | { readonly type: 'ended' };

export interface WorkRunOptions {
  readonly facts: RemoteRun;
  readonly pool: string;
  readonly env: Readonly<Record<string, string>> | undefined;
  /** As JSON, in chunks. */
  readonly contexts: readonly Uint8Array[];
  readonly onOutput: (output: HookOutput) => void;
  /** The last epoch of an earlier run with this id. */
  readonly epoch: number;
  readonly askedMs: number;
  /** Grows with each request. */
  readonly order: number;
}

/** One run; see above. */
export class WorkRun {
  readonly facts: RemoteRun;
  readonly pool: string;
  /** When it was requested. */
  readonly askedMs: number;
  readonly order: number;
  readonly #env: Readonly<Record<string, string>> | undefined;
  readonly #output: RemoteOutput;
  readonly #end = latch<Execution>();
  readonly #firstEpoch: number;
  #contexts: readonly Uint8Array[];
  #phase: RunPhase = { type: 'waiting' };
  #epoch: number;
  #losses = 0;

  constructor({ facts, pool, env, contexts, onOutput, epoch, askedMs, order }: WorkRunOptions) {
    this.facts = facts;
    this.pool = pool;
    this.askedMs = askedMs;
    this.order = order;
    this.#env = env;
    this.#contexts = contexts;
    this.#output = new RemoteOutput(onOutput);
    this.#epoch = epoch;
    this.#firstEpoch = epoch + 1;
  }

  get id(): string {
    return this.facts.runId;
  }

  get phase(): RunPhase {
    return this.#phase;
  }

  /** The last one with which it was handed out. */
  get epoch(): number {
    return this.#epoch;
  }

  /** How many workers it was lost with. */
  get losses(): number {
    return this.#losses;
  }

  get contexts(): readonly Uint8Array[] {
    return this.#contexts;
  }

  /** Whether it was handed out for the first time. */
  get isFirst(): boolean {
    return this.#epoch === this.#firstEpoch;
  }

  /** Resolves with its end. */
  get ended(): Promise<Execution> {
    return this.#end.promise;
  }

  /** Whether a worker has it, with this epoch. */
  isHeldBy(worker: string, epoch: number): boolean {
    return this.#phase.type === 'handed' && this.#phase.worker === worker && this.#epoch === epoch;
  }

  /** What its worker has to be told: to end it; undefined when it may go on. */
  get toEnd(): RunToEnd | undefined {
    if (this.#phase.type !== 'handed' || this.#phase.order === undefined) return undefined;
    return { runId: this.id, epoch: this.#epoch, why: this.#phase.order.why, isOver: false };
  }

  /** Hands it to a worker; the contexts go with it where they are to be inline. */
  handTo(worker: string, { nowMs, isInline }: { readonly nowMs: number; readonly isInline: boolean }): HandedRun {
    this.#epoch += 1;
    this.#phase = { type: 'handed', worker, seenMs: nowMs, isSeen: false };
    return {
      run: this.facts,
      epoch: this.#epoch,
      ...(this.#env !== undefined && { env: this.#env }),
      ...(isInline && { contexts: this.#contexts }),
    };
  }

  /** Its worker has said that it has it. */
  seen(nowMs: number): void {
    if (this.#phase.type === 'handed') this.#phase = { ...this.#phase, seenMs: nowMs, isSeen: true };
  }

  /** Orders its end; returns whether that is news. */
  orderEnd(order: EndOrder): boolean {
    if (this.#phase.type !== 'handed' || this.#phase.order !== undefined) return false;
    this.#phase = { ...this.#phase, order };
    return true;
  }

  /** No worker has it any more; where that is a loss it is counted. */
  waitAgain(isLoss: boolean): void {
    if (isLoss) this.#losses += 1;
    this.#phase = { type: 'waiting' };
  }

  print(lines: readonly RemoteLine[]): void {
    this.#output.print(lines);
  }

  /** Ends it; only the first end counts. */
  conclude(execution: Execution): void {
    this.#phase = { type: 'ended' };
    this.#contexts = [];
    this.#output.end();
    this.#end.resolve(execution);
  }
}
