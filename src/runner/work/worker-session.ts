/*
 * A worker, from its hello until what it ran has surely ended. It is present; then it is ending, where it was expelled or
 * another came from its Pod: it is told that it is not known, and falls silent by that; and it is gone. What must hold:
 * what it has is not handed to another before it is gone, which it is when it said so, or was silent for long enough.
 */

import type { DeskAnswer, DeskCaller } from '../../hook/remote-run.ts';
import type { HandedRun, HeldRun, RunToEnd, Waiting, WorkerHello } from '../../hook/work-desk.ts';
import { refused, type Refused } from '../desk-refusal.ts';
import type { FreeWorker } from './hand-out.ts';
import { HeldRequest } from './held-request.ts';
import type { WorkRun } from './work-run.ts';

/** Where a worker is in its life. */
export type WorkerState = 'present' | 'ending' | 'gone';

/** Between two requests for runs a worker is taken for one that asks. */
const BETWEEN_MS = 1000;

/** The worker is to end all that it runs, and to say hello. */
export const UNKNOWN = refused(404, 'the worker is not known here, or not any more: it has to say hello');

/** One worker; see above. */
export class WorkerSession {
  /** Its name. */
  readonly worker: string;
  readonly hello: WorkerHello;
  readonly caller: DeskCaller;
  /** What it has, by the id of the run. */
  readonly held = new Map<string, WorkRun>();
  readonly #claim = new HeldRequest<readonly HandedRun[]>([]);
  readonly #ends = new HeldRequest<readonly RunToEnd[]>([]);
  readonly #told = new Set<string>();
  #state: WorkerState = 'present';
  #beatMs: number;
  #asked = { free: 0, sinceMs: Number.NEGATIVE_INFINITY };

  constructor(worker: string, hello: WorkerHello, caller: DeskCaller, nowMs: number) {
    this.worker = worker;
    this.hello = hello;
    this.caller = caller;
    this.#beatMs = nowMs;
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** When it was last heard of, as far as its silence goes. */
  get beatMs(): number {
    return this.#beatMs;
  }

  beat(nowMs: number): void {
    this.#beatMs = nowMs;
  }

  /** What it asks for, while it waits. */
  get free(): FreeWorker | undefined {
    if (!this.#claim.isHeld) return undefined;
    return { worker: this.worker, capacity: this.hello.capacity, held: this.held.size, ...this.#asked };
  }

  /** How many runs it would take now. */
  placesAt(nowMs: number): number {
    const isAsking = this.#claim.isHeld || nowMs - this.#asked.sinceMs < BETWEEN_MS;
    return isAsking ? Math.max(0, this.hello.capacity - this.held.size) : 0;
  }

  /** Holds its request for runs, of which it wants so many. */
  async askForRuns(free: number, nowMs: number, waiting: Waiting): Promise<DeskAnswer<readonly HandedRun[]>> {
    this.#asked = { free, sinceMs: nowMs };
    return this.#claim.hold(waiting);
  }

  /** Answers its request for runs; `held` has them already. */
  give(runs: readonly HandedRun[], nowMs: number): void {
    this.#asked = { free: 0, sinceMs: nowMs };
    this.#claim.answer(runs);
  }

  /** Holds its request for what is to be ended. */
  async askForEnds(waiting: Waiting): Promise<DeskAnswer<readonly RunToEnd[]>> {
    const answer = this.#ends.hold(waiting);
    this.tellEnds();
    return answer;
  }

  /** Answers its request for what is to be ended, when there is something that no such answer has said. */
  tellEnds(): void {
    if (!this.#ends.isHeld) return;
    const news = this.toEnd.filter((one) => !this.#told.has(keyOf(one)));
    if (news.length === 0) return;
    for (const one of news) this.#told.add(keyOf(one));
    this.#ends.answer(news);
  }

  /** What is to be ended of all that it has. */
  get toEnd(): readonly RunToEnd[] {
    return [...this.held.values()].flatMap(({ toEnd }) => (toEnd === undefined ? [] : [toEnd]));
  }

  /** It has a run no more. */
  release(run: WorkRun): void {
    this.held.delete(run.id);
    this.#told.delete(keyOf({ runId: run.id, epoch: run.epoch }));
  }

  /** It is known no more; what it asks for is refused. */
  end(state: Exclude<WorkerState, 'present'>, why: Refused = UNKNOWN): void {
    this.#state = state;
    this.refuse(why);
  }

  refuse(why: Refused): void {
    this.#claim.refuse(why);
    this.#ends.refuse(why);
  }
}

/** Names one hand-out of a run. */
export function keyOf({ runId, epoch }: HeldRun): string {
  return `${runId}/${epoch}`;
}
