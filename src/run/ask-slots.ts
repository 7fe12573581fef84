import { abortable } from '../lib/abortable.ts';
import { latch, type Latch } from '../lib/latch.ts';

/** How many hooks run at once as processes for callers that wait. */
export interface AskLimits {
  readonly maxRunning: number;
  /** How many more may wait for their turn. */
  readonly maxWaiting: number;
}

/** A call that was not run, because too many are. */
export interface NoSlot {
  readonly type: 'no-slot';
  readonly reason: string;
}

/** Lets a limited number of calls run at the same time; some more wait in order, and the rest are refused at once. */
export class AskSlots {
  readonly #limits: AskLimits;
  readonly #waiting: Latch<void>[] = [];
  #running = 0;

  constructor(limits: AskLimits) {
    this.#limits = limits;
  }

  /** Runs `work` in a slot; resolves to `NoSlot` where none is free, or none became free before `signal` aborted. */
  async during<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | NoSlot> {
    const { maxRunning, maxWaiting } = this.#limits;
    if (this.#running < maxRunning) this.#running += 1;
    else if (this.#waiting.length >= maxWaiting) return this.#noSlot(`, and ${maxWaiting} more wait`);
    else if (!(await this.#isTurn(signal))) return this.#noSlot(', and none of them ended in time');
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next.resolve();
    }
  }

  #noSlot(more: string): NoSlot {
    return { type: 'no-slot', reason: `${this.#limits.maxRunning} processes of hooks answer requests already${more}` };
  }

  async #isTurn(signal: AbortSignal): Promise<boolean> {
    const turn = latch();
    this.#waiting.push(turn);
    try {
      await abortable(turn.promise, signal);
      return true;
    } catch {
      const place = this.#waiting.indexOf(turn);
      // The slot was given to this call just before its signal aborted.
      if (place === -1) return true;
      this.#waiting.splice(place, 1);
      return false;
    }
  }
}
