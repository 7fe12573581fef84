import { exponentialBackoff, type Backoff } from '../../lib/backoff.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import type { WorkerTimes } from './times.ts';

/**
 * Whether hooks can be run here at all. A worker whose disk is full fails each run at once, so that it would always have
 * the most room: after a run that its environment failed it waits before it claims again, longer each time, and asks for
 * one run, until one has ended otherwise.
 */
export class Condition {
  readonly #elapsed: () => number;
  readonly #backoff: Backoff;
  #claimsAtMs = -Infinity;
  #isBad = false;

  /** `elapsed`: milliseconds on a monotonic clock. */
  constructor({ retry }: Pick<WorkerTimes, 'retry'>, elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#backoff = exponentialBackoff(retry);
  }

  /** How long no run is to be claimed. */
  get pauseMs(): number {
    return Math.max(0, this.#claimsAtMs - this.#elapsed());
  }

  /** How many runs may be claimed of those for which there are places. */
  placesOf(free: number): number {
    return this.#isBad ? Math.min(1, free) : free;
  }

  /** A run has ended; returns whether it is the first that the environment failed. */
  ended(result: RemoteResult): boolean {
    const wasBad = this.#isBad;
    this.#isBad = result.type === 'failed' && result.by === 'environment' && !result.isCutOff;
    if (this.#isBad) this.#claimsAtMs = this.#elapsed() + this.#backoff.next();
    else this.#backoff.reset();
    return this.#isBad && !wasBad;
  }
}
