import { remember } from '../../lib/remember.ts';
import type { WorkRun } from './work-run.ts';

/** So many runs are remembered after their end, for workers that send a result again. */
const MAX_PAST = 5000;

/** A run that has ended. */
export interface PastRun {
  readonly epoch: number;
  /** The worker whose result was taken; undefined when none was. */
  readonly takenFrom: string | undefined;
}

/** The runs of this operator: those that live, in the order of their requests, and the last that have ended. */
export class WorkRuns {
  readonly #live = new Map<string, WorkRun>();
  readonly #waiting = new Map<string, WorkRun[]>();
  readonly #past = new Map<string, PastRun>();

  get size(): number {
    return this.#live.size;
  }

  /** Those of all pools. */
  get live(): Iterable<WorkRun> {
    return this.#live.values();
  }

  /** The names of the pools in which runs wait. */
  get pools(): Iterable<string> {
    return this.#waiting.keys();
  }

  find(runId: string): WorkRun | undefined {
    return this.#live.get(runId);
  }

  findPast(runId: string): PastRun | undefined {
    return this.#past.get(runId);
  }

  /** Those that no worker has, the first to be handed out first. */
  waitingIn(pool: string): readonly WorkRun[] {
    return this.#waiting.get(pool) ?? [];
  }

  /** A run that waits from now on: behind those that were requested before it, as it may have been lost. */
  wait(run: WorkRun): void {
    this.#live.set(run.id, run);
    const waiting = this.#waiting.get(run.pool) ?? [];
    const behind = waiting.findLastIndex(({ order }) => order < run.order);
    waiting.splice(behind + 1, 0, run);
    this.#waiting.set(run.pool, waiting);
  }

  /** A run that does not wait any more. */
  stopWaiting(run: WorkRun): void {
    const waiting = this.#waiting.get(run.pool) ?? [];
    const at = waiting.indexOf(run);
    if (at !== -1) waiting.splice(at, 1);
    if (waiting.length === 0) this.#waiting.delete(run.pool);
  }

  /** A run that has ended. */
  drop(run: WorkRun, takenFrom: string | undefined): void {
    this.stopWaiting(run);
    this.#live.delete(run.id);
    remember(this.#past, run.id, { value: { epoch: run.epoch, takenFrom }, limit: MAX_PAST });
  }
}
