import { latch } from '../lib/latch.ts';
import { clearOuterTimeout, outerNow, setOuterTimeout } from '../lib/outer-time.ts';
import { failedOutcome, type FilterOutcome } from './compiled-filter.ts';
import { startFilterChild, type ChildListener, type FilterChild } from './filter-child-process.ts';
import { FilterQueue, stoppedReason, TOO_MANY, type FilterJob, type Turn } from './filter-queue.ts';
import type { Frame } from './frames.ts';

/** A filter to be applied to an object in the filter process. */
export interface FilterRequest {
  /** `patch` is jq whose outputs are always returned as an array. */
  readonly type: 'jq' | 'jsonPath' | 'patch';
  readonly expression: string;
  readonly json: Uint8Array;
  readonly tenant: string;
  readonly version: string;
}

export interface FilterProcessOptions {
  readonly start?: (listener: ChildListener) => FilterChild;
  readonly now?: () => number;
}

/** The process interrupts a filter at its limit; if it has not answered this much later, it is killed. */
const GRACE_MS = 500;
const START_LIMIT_MS = 5000;
const IDLE_MS = 30_000;

interface Job extends FilterJob {
  readonly request: FilterRequest;
  readonly settle: (outcome: FilterOutcome) => void;
}

interface Loss {
  readonly reason: string;
  readonly wasReady: boolean;
}

interface Running {
  readonly turn: Turn<Job>;
  readonly id: number;
  readonly startedAtMs: number;
}

/**
 * Runs the filters that are too slow for the event loop in one child process, one at a time, so that a filter can be
 * killed when it takes too long or too much memory. `filters.ts` calls `run` when a brief attempt was not enough.
 *
 * The states: no process; a process that starts (5 s); one that runs a filter (its limit and 500 ms); an idle one,
 * which is ended after 30 s without work. Each state with a time limit has the timer `#limit`. A process that is
 * killed, exits, or had to interrupt a filter is replaced by a new one for the next request. `FilterQueue` decides
 * whose turn it is, and the timer `#expiry` fails the requests that have waited too long.
 *
 * What must hold: every request is settled, within 47 s. A filter that ended its process gets an error, and the
 * requests behind it still run. A process that could not be started is not held against the filter.
 */
export class FilterProcess {
  readonly #start: (listener: ChildListener) => FilterChild;
  readonly #now: () => number;
  readonly #queue = new FilterQueue<Job>();
  #child: { readonly process: FilterChild; isReady: boolean } | undefined;
  #running: Running | undefined;
  #limit: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor({ start = startFilterChild, now = outerNow }: FilterProcessOptions = {}) {
    this.#start = start;
    this.#now = now;
  }

  /** Applies a filter. Never rejects; settled at most 47 s later, with an error if there is no result by then. */
  async run(request: FilterRequest): Promise<FilterOutcome> {
    const { promise, resolve: settle } = latch<FilterOutcome>();
    const { type, expression, tenant, version, json } = request;
    const job: Job = { filter: `${type} ${expression}`, tenant, version, bytes: json.length, request, settle };
    const refusal = this.#queue.add(job, this.#now());
    if (refusal === undefined) this.#work();
    else settle(failedOutcome(refusal));
    return promise;
  }

  /** Kills the process; waiting requests are not run. */
  end(): void {
    clearOuterTimeout(this.#limit);
    clearOuterTimeout(this.#expiry);
    this.#killChild();
  }

  #killChild(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.process.kill();
  }

  #work(): void {
    if (this.#running === undefined) this.#begin();
    this.#awaitExpiry();
  }

  #begin(): void {
    const turn = this.#queue.next(this.#now());
    if (turn === undefined) return this.#becomeIdle();
    const id = ++this.#lastId;
    this.#running = { turn, id, startedAtMs: this.#now() };
    const child = (this.#child ??= this.#startChild());
    const { type, expression, json } = turn.job.request;
    child.process.keepAlive(true);
    child.process.send({ header: { id, type, expression, limitMs: turn.limitMs }, body: json });
    this.#after(child.isReady ? turn.limitMs + GRACE_MS : START_LIMIT_MS, () => child.process.kill());
  }

  #becomeIdle(): void {
    this.#child?.process.keepAlive(false);
    this.#after(IDLE_MS, () => this.end());
  }

  #startChild(): { readonly process: FilterChild; isReady: boolean } {
    const child = {
      isReady: false,
      process: this.#start({
        frame: (frame) => {
          if (this.#child === child) this.#received(frame);
        },
        ended: (reason) => {
          if (this.#child === child) this.#childEnded(reason);
        },
      }),
    };
    return child;
  }

  #received({ header, body }: Frame): void {
    const { type, id, error }: { type?: unknown; id?: unknown; error?: unknown } = Object(header);
    const running = this.#running;
    if (type === 'ready') return this.#ready();
    if (running === undefined || id !== running.id) return;
    this.#running = undefined;
    const { turn } = running;
    const tookMs = this.#now() - running.startedAtMs;
    if (type === 'stopped') {
      // The interrupted filter may have left inconsistent state in the process, so replace it.
      this.#killChild();
      this.#stopped(turn, tookMs);
    } else {
      this.#queue.done(turn, tookMs);
      const result = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
      turn.job.settle(typeof error === 'string' ? failedOutcome(error) : { result });
    }
    this.#work();
  }

  #ready(): void {
    if (this.#child === undefined || this.#running === undefined) return;
    this.#child.isReady = true;
    const { turn } = this.#running;
    const { process } = this.#child;
    this.#running = { ...this.#running, startedAtMs: this.#now() };
    this.#after(turn.limitMs + GRACE_MS, () => process.kill());
  }

  /** The process ended, because it was killed or because of the filter. */
  #childEnded(reason: string): void {
    const child = this.#child;
    const running = this.#running;
    this.#child = undefined;
    this.#running = undefined;
    if (running !== undefined) this.#settleLost(running, { reason, wasReady: child?.isReady === true });
    this.#work();
  }

  #settleLost({ turn, startedAtMs }: Running, { reason, wasReady }: Loss): void {
    const tookMs = this.#now() - startedAtMs;
    if (wasReady) {
      this.#stopped(turn, tookMs, tookMs >= turn.limitMs + GRACE_MS ? undefined : reason);
      return;
    }
    // The process ended before it was ready, which was not the fault of the filter.
    this.#queue.done(turn, 0);
    const problem = tookMs >= START_LIMIT_MS ? `not within ${START_LIMIT_MS} ms` : reason;
    turn.job.settle(failedOutcome(`the process for slow filters could not be started: ${problem}`));
  }

  #stopped(turn: Turn<Job>, tookMs: number, reason?: string): void {
    if (this.#queue.stopped(turn, { tookMs, nowMs: this.#now(), reason })) return;
    turn.job.settle(failedOutcome(reason ?? stoppedReason(turn.limitMs)));
  }

  #after(ms: number, act: () => void): void {
    clearOuterTimeout(this.#limit);
    this.#limit = setOuterTimeout(act, ms).unref();
  }

  #awaitExpiry(): void {
    clearOuterTimeout(this.#expiry);
    const atMs = this.#queue.expiresAtMs;
    if (atMs === undefined) return;
    const expire = (): void => {
      for (const job of this.#queue.expired(this.#now())) job.settle(failedOutcome(TOO_MANY));
      this.#awaitExpiry();
    };
    this.#expiry = setOuterTimeout(expire, Math.max(1, atMs - this.#now())).unref();
  }
}
