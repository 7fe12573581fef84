import { within } from './deadline.ts';

/**
 * Does the I/O of one place, such as a file on a volume, one call at a time and each within a limit. A call that was given
 * up may still take effect later and undo a newer one, so no other call begins until it has ended.
 */
export class BoundedIo {
  readonly #place: string;
  readonly #limitMs: number;
  #isBusy = false;

  constructor(place: string, limitMs: number) {
    this.#place = place;
    this.#limitMs = limitMs;
  }

  /** Resolves or rejects with the result of `work`; rejects at the limit, and while an earlier call has not ended. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) throw new Error(`${this.#place} has not answered an earlier request yet`);
    this.#isBusy = true;
    const late = (): never => {
      throw new Error(`${this.#place} did not answer within ${this.#limitMs / 1000} s`);
    };
    const running = work().finally(() => {
      this.#isBusy = false;
    });
    return within(running, { limitMs: this.#limitMs, late });
  }
}
