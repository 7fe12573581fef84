import { sleep } from '../../../lib/sleep.ts';

/** Ends one wait of a loop early; a ring before the wait counts for it. */
export class Alarm {
  #isRung = false;
  #wake: () => void = () => {};

  readonly ring = (): void => {
    this.#isRung = true;
    this.#wake();
  };

  /** Waits for a ring, for `limitMs` or until `signal` aborts, whichever comes first. */
  async wait(limitMs: number, signal: AbortSignal): Promise<void> {
    const rung = new AbortController();
    const wake = (): void => rung.abort();
    this.#wake = wake;
    if (this.#isRung || signal.aborted) wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      await sleep(limitMs, rung.signal);
    } finally {
      signal.removeEventListener('abort', wake);
      this.#isRung = false;
      this.#wake = () => {};
    }
  }
}
