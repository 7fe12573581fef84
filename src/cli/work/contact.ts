import { latch, type Latch } from '../../lib/latch.ts';
import type { WorkerTerms } from '../../hook/work-desk.ts';

/** Of the silence that the terms allow: when the worker ends its hooks. */
const ENDS_AT = 2 / 3;
/** When whatever is left of them is killed, also while the worker stands still. */
const FENCE_AT = 0.9;
/** From SIGTERM to SIGKILL, so that a hook has ended before the fence; a warm hook is asked for a fifth of it before. */
const KILL_AFTER = 1 / 6;
const LONGEST_KILL_MS = 5000;

/** How long a hook may take to end. */
export function killAfterMs({ silenceMs }: Pick<WorkerTerms, 'silenceMs'>): number {
  return Math.min(Math.floor(silenceMs * KILL_AFTER), LONGEST_KILL_MS);
}

/**
 * When the operator was last known to hear this worker: it counts from when a request was sent that was answered, so it
 * is never later than the operator counts. All times are of one monotonic clock.
 */
export class Contact {
  readonly #silenceMs: number;
  #heardAtMs: number;
  #next: Latch<void> = latch();

  constructor({ silenceMs }: Pick<WorkerTerms, 'silenceMs'>, sentAtMs: number) {
    this.#silenceMs = silenceMs;
    this.#heardAtMs = sentAtMs;
  }

  /** A request that was sent at this time has been answered. */
  answered(sentAtMs: number): void {
    this.#heardAtMs = Math.max(this.#heardAtMs, sentAtMs);
    this.#next.resolve();
    this.#next = latch();
  }

  /** Resolves at the next answer. */
  async next(): Promise<void> {
    await this.#next.promise;
  }

  /** How long hooks may still run without another answer; negative when they must have been told to end. */
  leftMs(nowMs: number): number {
    return this.#heardAtMs + this.#silenceMs * ENDS_AT - nowMs;
  }

  isSilent(nowMs: number): boolean {
    return this.leftMs(nowMs) <= 0;
  }

  /** How long until hooks are killed. */
  fenceMs(nowMs: number): number {
    return Math.max(0, this.#heardAtMs + this.#silenceMs * FENCE_AT - nowMs);
  }

  /** Whether the operator may take the worker for lost by now. */
  isLost(nowMs: number): boolean {
    return nowMs - this.#heardAtMs >= this.#silenceMs;
  }
}
