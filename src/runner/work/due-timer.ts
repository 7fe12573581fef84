import { aborted } from '../../lib/aborted.ts';
import { sleep } from '../../lib/sleep.ts';

interface Due {
  readonly atMs: number;
  readonly act: () => void;
}

/**
 * What is due when, by key, with one timer for the earliest. Most of what is set is put off again and again, such as the
 * silence of a worker that beats: that costs nothing until the timer fires, which then looks at all.
 */
export class DueTimer {
  readonly #elapsed: () => number;
  readonly #due = new Map<string, Due>();
  /** When the timer fires, which may be too early. */
  #wakesAtMs = Number.POSITIVE_INFINITY;
  #wake: () => void = () => {};

  /** `elapsed`: milliseconds on a monotonic clock. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** `act` is called once at `atMs` by the clock, in place of what the key had before. */
  set(key: string, atMs: number, act: () => void): void {
    this.#due.set(key, { atMs, act });
    if (atMs < this.#wakesAtMs) this.#wake();
  }

  has(key: string): boolean {
    return this.#due.has(key);
  }

  delete(key: string): void {
    this.#due.delete(key);
  }

  /** Calls what is due until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#callDue();
      const changed = new AbortController();
      this.#wake = () => changed.abort();
      this.#wakesAtMs = [...this.#due.values()].reduce((least, { atMs }) => Math.min(least, atMs), Infinity);
      const either = AbortSignal.any([signal, changed.signal]);
      if (this.#wakesAtMs === Infinity) await aborted(either);
      else await sleep(this.#wakesAtMs - this.#elapsed(), either);
    }
  }

  #callDue(): void {
    const nowMs = this.#elapsed();
    for (const [key, { atMs }] of this.#due) {
      const due = this.#due.get(key);
      // What was due before may have changed it.
      if (atMs > nowMs || due === undefined || due.atMs > nowMs) continue;
      this.#due.delete(key);
      due.act();
    }
  }
}
