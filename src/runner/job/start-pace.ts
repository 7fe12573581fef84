import { sleep } from '../../lib/sleep.ts';
import type { Execution } from '../executor.ts';

interface Failures {
  readonly count: number;
  readonly untilMs: number;
}

const FIRST_MS = 2000;
const MOST_MS = 60_000;

/**
 * Keeps the next Job of a hook waiting whose last ones came to nothing by no fault of the hook, such as for an image that
 * is not there: 2 s after the first, twice as long after each, 60 s at most. The queue itself tries such a run again at once.
 */
export class StartPace {
  readonly #failures = new Map<string, Failures>();
  readonly #elapsed: () => number;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Resolves when a Job of the hook may be created; rejects with the reason of `signal`. */
  async wait(hook: string, signal: AbortSignal): Promise<void> {
    const { untilMs = 0 } = this.#failures.get(hook) ?? {};
    const waitMs = untilMs - this.#elapsed();
    if (waitMs > 0) await sleep(waitMs, signal);
    signal.throwIfAborted();
  }

  /** A run of the hook has ended so; `signal` has ended it, where it has aborted. */
  ended(hook: string, execution: Execution, signal: AbortSignal): void {
    const isFault = execution.type === 'failed' && execution.by === 'environment';
    if (signal.aborted) return;
    if (!isFault) {
      this.#failures.delete(hook);
      return;
    }
    const { count = 0 } = this.#failures.get(hook) ?? {};
    const delayMs = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(count, 10));
    this.#failures.set(hook, { count: count + 1, untilMs: this.#elapsed() + delayMs });
  }
}
