import { latch } from '../../lib/latch.ts';

const LOOK_MS = 250;

/** A request under way. */
export interface Sent<T> {
  readonly answer: Promise<T>;
  /** Ends it, also when it is answered. */
  cancel(): void;
}

/** A request, and what it may need. */
interface Waiting {
  askedAtMs: number;
  lateMs: number;
  /** How long after the next spare another follows: doubled each time, so that a server that is slow gets few. */
  nextMs: number;
  repeat(): void;
}

/**
 * No probe and no ping tells a connection that answers no requests from a slow answer. So a request that may be sent
 * twice, and is not answered for `lateMs` while the server is well otherwise, is sent once more on a connection of its own;
 * the first answer wins. One request has one spare at a time: the second comes after `lateMs` more, the others after twice
 * as long each.
 */
export class SpareRequests {
  readonly #lateMs: number;
  readonly #isWellSince: (ms: number) => boolean;
  readonly #waiting = new Set<Waiting>();
  /** One for all: most requests are answered long before it is looked at them. */
  #timer: NodeJS.Timeout | undefined;

  /** `isWellSince` says whether the server answered something else at once that was asked after a moment. */
  constructor(lateMs: number, isWellSince: (ms: number) => boolean) {
    this.#lateMs = lateMs;
    this.#isWellSince = isWellSince;
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
      if (nowMs - waiting.askedAtMs < waiting.lateMs || !this.#isWellSince(waiting.askedAtMs)) continue;
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
