import { abortable } from '../../lib/abortable.ts';
import { latch, type Latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import { beatAsk } from './asks.ts';
import type { WorkSession } from './session.ts';

/** Of the time between two beats: how long one place may take to answer, and the pause after none has. */
const REQUEST_SHARE = 0.5;
const RETRY_SHARE = 0.2;
/** Of a request, however often the operator wants to hear of the worker. */
const LEAST_REQUEST_MS = 250;

/** Says which runs the worker has, at each beat and when it is asked to, and ends those that are to be ended. */
export class Beats {
  #wake: () => void = () => {};
  #waiting: Latch<void>[] = [];
  #sentAtMs = -Infinity;
  #isAnswered = true;

  /** Beats now; resolves when a beat that was sent after the call was answered, or `signal` aborts. */
  async confirm(signal: AbortSignal): Promise<void> {
    const answered = latch();
    this.#waiting.push(answered);
    this.#wake();
    await abortable(answered.promise, signal).catch(() => {});
  }

  /**
   * Whether no beat was sent after this time, and none is on its way: then the operator has heard of no beat that does not
   * name a run which arrived at this time.
   */
  isQuietSince(atMs: number): boolean {
    return this.#isAnswered && this.#sentAtMs <= atMs;
  }

  async run(session: WorkSession, signal: AbortSignal): Promise<void> {
    const { beatMs } = session.terms;
    while (!signal.aborted) {
      const before = this.#waiting;
      this.#waiting = [];
      this.#isAnswered = await this.#beat(session, signal);
      if (this.#isAnswered) for (const { resolve } of before) resolve();
      else this.#waiting = [...before, ...this.#waiting];
      const isAsked = this.#isAnswered && this.#waiting.length > 0;
      if (!isAsked) await this.#pause(this.#isAnswered ? beatMs : beatMs * RETRY_SHARE, signal);
    }
  }

  async #beat(session: WorkSession, signal: AbortSignal): Promise<boolean> {
    const { terms, reach, held, contact, runners, elapsed } = session;
    this.#sentAtMs = elapsed();
    this.#isAnswered = false;
    const sentAtMs = this.#sentAtMs;
    const limitMs = Math.max(terms.beatMs * REQUEST_SHARE, LEAST_REQUEST_MS);
    const reached = await reach.once(beatAsk(terms.worker, held.list(), limitMs), signal);
    if (reached.type === 'refused') session.lose(`${reached.message} (${reached.status})`);
    if (reached.type !== 'ok') return false;
    contact.answered(sentAtMs);
    if (runners.runs > 0) runners.fence(contact.fenceMs(elapsed()));
    held.end(reached.value);
    return true;
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(delayMs, AbortSignal.any([woken.signal, signal]));
  }
}
