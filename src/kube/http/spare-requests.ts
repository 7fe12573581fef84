import { latch } from '../../lib/latch.ts';

const LOOK_MS = 250;

/** A request in flight. */
export interface Sent<T> {
  readonly answer: Promise<T>;
  /** Cancels it, even if it is answered already. */
  cancel(): void;
}

/** A request that may get spares. */
interface Waiting {
  askedAtMs: number;
  lateMs: number;
  /** The wait after the next spare; it doubles each time, so that a slow server gets few spares. */
  nextMs: number;
  repeat(): void;
}

/**
 * A connection may answer probes and pings but no requests, which looks like a slow answer. So a request that may be
 * sent twice, and has no answer for `lateMs` while the server is otherwise healthy, is sent once more on a connection
 * of its own; the first answer wins. A request has at most one spare at a time: the second follows after another
 * `lateMs`, and the wait doubles from then on.
 */
export class SpareRequests {
  readonly #lateMs: number;
  readonly #isHealthySince: (ms: number) => boolean;
  readonly #waiting = new Set<Waiting>();
  /** One timer for all requests: most are answered long before it fires. */
  #timer: NodeJS.Timeout | undefined;

  /** `isHealthySince(ms)` returns whether the server promptly answered something else after `ms`. */
  constructor(lateMs: number, isHealthySince: (ms: number) => boolean) {
    this.#lateMs = lateMs;
    this.#isHealthySince = isHealthySince;
  }

  async send<T>(start: (isSpare: boolean) => Sent<T>): Promise<T> {
    const result = latch<T>();
    const running = new Set<Sent<T>>();
    let spare: Sent<T> | undefined;
    const finish = (winner: Sent<T> | undefined): void => {
      this.#waiting.delete(waiting);
      for (const other of running) if (other !== winner) other.cancel();
      running.clear();
    };
    const run = (sent: Sent<T>): void => {
      running.add(sent);
      sent.answer.then(
        (answer) => {
          if (!running.has(sent)) return;
          finish(sent);
          result.resolve(answer);
        },
        (error: unknown) => {
          if (!running.delete(sent) || running.size > 0) return;
          finish(undefined);
          result.reject(error);
        },
      );
    };
    const repeat = (): void => {
      if (spare !== undefined && running.delete(spare)) spare.cancel();
      spare = start(true);
      run(spare);
    };
    const waiting: Waiting = { askedAtMs: performance.now(), lateMs: this.#lateMs, nextMs: this.#lateMs, repeat };
    run(start(false));
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    return result.promise;
  }

  #look(): void {
    const nowMs = performance.now();
    for (const waiting of this.#waiting) {
      if (nowMs - waiting.askedAtMs < waiting.lateMs || !this.#isHealthySince(waiting.askedAtMs)) continue;
      waiting.askedAtMs = nowMs;
      waiting.lateMs = waiting.nextMs;
      waiting.nextMs *= 2;
      waiting.repeat();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
