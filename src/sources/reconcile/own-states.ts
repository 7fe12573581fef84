import { Bell } from '../../lib/bell.ts';
import { sleep } from '../../lib/sleep.ts';

/** A watch that brings a write later than this is one that fails; the next write then finds what it did not see. */
const LIMIT_MS = 5000;

/**
 * The runs that have written to their own object, such as its state, and wait until the watch shows it, so that the next
 * run of the object begins with it. One run of an object waits at a time.
 */
export class OwnStates {
  readonly #awaited = new Map<string, Bell>();
  #isEnded = false;

  /** Something of the object with this key was seen. */
  seen(key: string): void {
    this.#awaited.get(key)?.ring();
  }

  /** The watch has ended, so that nothing is seen any more. */
  end(): void {
    this.#isEnded = true;
    for (const bell of this.#awaited.values()) bell.ring();
  }

  /** Waits while `isAwaited`, which is asked whenever something of the object is seen, at most for five seconds. */
  async wait(key: string, isAwaited: () => boolean, signal: AbortSignal): Promise<void> {
    const bell = new Bell();
    const end = new AbortController();
    const limit = sleep(LIMIT_MS, AbortSignal.any([signal, end.signal])).then(() => end.abort());
    this.#awaited.set(key, bell);
    while (!this.#isEnded && isAwaited() && !end.signal.aborted) await Promise.race([bell.rung(), limit]);
    this.#awaited.delete(key);
    end.abort();
    await limit;
  }
}
