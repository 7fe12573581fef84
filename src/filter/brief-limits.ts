import { outerNow } from '../lib/outer-time.ts';
import type { JqLimits } from '@hooklet/jq';

const STEPS = 50_000;
const FEW_STEPS = 1000;
const TIMEOUT_MS = 5;
const MAX_WASTED_MS = 25;
/** At most a twentieth of the time of the event loop may go into wasted attempts. */
const FORGIVEN_PER_MS = 0.05;

/**
 * What an attempt at a filter may use on the event loop before the work moves to the filter process: 5 ms, or 50,000
 * steps. Such an attempt is wasted, since the filter process begins anew. The time of wasted attempts is added up over
 * all filters, and forgiven at a twentieth of the time that passes; while more than 25 ms remain, an attempt gets only
 * 1,000 steps, which are enough for ordinary filters.
 */
export class BriefLimits implements JqLimits {
  readonly timeoutMs = TIMEOUT_MS;
  readonly maxPlaces = 500_000;
  readonly maxText = 2 ** 20;
  readonly #now: () => number;
  #wastedMs = 0;
  #countedAtMs = 0;

  constructor(now: () => number = outerNow) {
    this.#now = now;
  }

  get maxSteps(): number {
    return this.#isSpent() ? FEW_STEPS : STEPS;
  }

  /**
   * Limit of the worst case of one search with a regular expression, in its steps, because it cannot be interrupted.
   */
  get maxUnbroken(): number {
    return 20 * this.maxSteps;
  }

  /** Records that an attempt took `ms` and ended without a result. */
  wasted(ms: number): void {
    this.#forgive();
    this.#wastedMs += ms;
  }

  #isSpent(): boolean {
    if (this.#wastedMs === 0) return false;
    this.#forgive();
    return this.#wastedMs > MAX_WASTED_MS;
  }

  #forgive(): void {
    const nowMs = this.#now();
    this.#wastedMs = Math.max(0, this.#wastedMs - (nowMs - this.#countedAtMs) * FORGIVEN_PER_MS);
    this.#countedAtMs = nowMs;
  }
}
