import { abortable } from '../../lib/abortable.ts';
import { latch, type Latch } from '../../lib/latch.ts';
import { tokenBucket, type RateLimit } from '../../kube/rate-limit.ts';

/** The brakes: the Job controller of a cluster has a budget that all its tenants share. */
export interface Brakes {
  /** Default 1. */
  readonly maxStartsPerSecond?: number;
  /** Default 10. */
  readonly maxAtOnce?: number;
}

/** The places for Jobs: they are taken in the order of the calls, and at a limited rate. */
export class StartSlots {
  readonly #maxAtOnce: number;
  readonly #pace: RateLimit;
  readonly #waiting: Latch<void>[] = [];
  readonly #onHeld: (count: number) => void;
  #held = 0;

  /** `onHeld` is called with the number of places that are taken, whenever that changes. */
  constructor({ maxStartsPerSecond = 1, maxAtOnce = 10 }: Brakes, onHeld: (count: number) => void) {
    this.#maxAtOnce = maxAtOnce;
    this.#onHeld = onHeld;
    const isPaced = Number.isFinite(maxStartsPerSecond);
    this.#pace = isPaced ? tokenBucket({ perSecond: maxStartsPerSecond, burst: 1 }) : async () => {};
  }

  /** Resolves when a Job may be created; rejects with the reason of `signal`. Each place is given back once. */
  async take(signal: AbortSignal): Promise<void> {
    await this.#place(signal);
    try {
      await this.#pace(signal);
    } catch (error) {
      this.give();
      throw error;
    }
  }

  /** Takes a place for a Job that is there already, however many are. */
  force(): void {
    this.#hold(1);
  }

  /** Gives a place back, to whoever waits longest. */
  give(): void {
    this.#hold(-1);
    if (this.#held >= this.#maxAtOnce) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#hold(1);
    next.resolve();
  }

  #hold(by: number): void {
    this.#held += by;
    this.#onHeld(this.#held);
  }

  async #place(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#held < this.#maxAtOnce && this.#waiting.length === 0) {
      this.#hold(1);
      return;
    }
    const place = latch();
    this.#waiting.push(place);
    try {
      await abortable(place.promise, signal);
    } catch (error) {
      const at = this.#waiting.indexOf(place);
      // It was given the place in the same moment.
      if (at === -1) this.give();
      else this.#waiting.splice(at, 1);
      throw error;
    }
  }
}
