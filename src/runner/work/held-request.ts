import { latch, type Latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Refused } from '../desk-refusal.ts';
import type { DeskAnswer } from '../../hook/remote-run.ts';
import type { Waiting } from '../../hook/work-desk.ts';

interface Held<T> {
  readonly answer: Latch<DeskAnswer<T>>;
  readonly signal: AbortSignal;
}

/** A request that is held until there is something to answer; of several, only the last is, and the others get nothing. */
export class HeldRequest<T> {
  readonly #nothing: T;
  #held: Held<T> | undefined;

  /** `nothing` is the answer when there was none in time. */
  constructor(nothing: T) {
    this.#nothing = nothing;
  }

  /** Whether somebody waits for an answer. */
  get isHeld(): boolean {
    return this.#held !== undefined && !this.#held.signal.aborted;
  }

  /** Holds a request from now on; the one before is answered with nothing. */
  async hold({ waitMs, signal }: Waiting): Promise<DeskAnswer<T>> {
    this.answer(this.#nothing);
    const held = { answer: latch<DeskAnswer<T>>(), signal };
    this.#held = held;
    const answered = new AbortController();
    const late = this.#answerAt(held, waitMs, AbortSignal.any([signal, answered.signal]));
    try {
      return await held.answer.promise;
    } finally {
      answered.abort();
      await late;
    }
  }

  answer(value: T): void {
    this.#settle({ type: 'ok', value });
  }

  refuse(why: Refused): void {
    this.#settle(why);
  }

  async #answerAt(held: Held<T>, waitMs: number, signal: AbortSignal): Promise<void> {
    await sleep(waitMs, signal);
    if (this.#held === held) this.answer(this.#nothing);
  }

  #settle(answer: DeskAnswer<T>): void {
    const held = this.#held;
    this.#held = undefined;
    held?.answer.resolve(answer);
  }
}
