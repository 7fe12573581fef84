import { latch } from '../lib/latch.ts';

/** A request that is not answered for so long gets a spare beside it. */
const LATE_MS = 2000;
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
 * HTTP/1.1 has no ping to tell a dead connection from a slow answer. So a request that may be sent twice, and is not
 * answered while the server answers probes, is sent once more on a connection of its own; the first answer wins. One
 * request has one spare at a time: after 2 s, 2 s later, 4 s later, 8 s later and so on.
 */
export class SpareRequests {
  readonly #isWellSince: (ms: number) => boolean;
  readonly #waiting = new Set<Waiting>();
  /** One for all: most requests are answered long before it is looked at them. */
  #timer: NodeJS.Timeout | undefined;

  /** `isWellSince` says whether the server answered something else at once that was asked after a moment. */
  constructor(isWellSince: (ms: number) => boolean) {
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
    const waiting: Waiting = { askedAtMs: performance.now(), lateMs: LATE_MS, nextMs: LATE_MS, repeat };
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
