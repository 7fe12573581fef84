import type { JqLimits } from '@hooklet/jq';

const STEPS = 50_000;
const FEW_STEPS = 1000;
const TIMEOUT_MS = 5;
const MAX_WASTED_MS = 25;
/** A twentieth of the time may go into attempts that lead nowhere. */
const FORGIVEN_PER_MS = 0.05;

/**
 * What a filter may use on the event loop before it goes on elsewhere: 5 ms, or 50,000 steps. Attempts that were for
 * nothing are counted together: when they took too much of the time, the next ones get 1,000 steps, which are enough for
 * ordinary filters, until that is made good.
 */
export class BriefLimits implements JqLimits {
  readonly timeoutMs = TIMEOUT_MS;
  readonly maxPlaces = 500_000;
  readonly maxText = 2 ** 20;
  readonly #now: () => number;
  #wastedMs = 0;
  #countedAtMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get maxSteps(): number {
    return this.#isSpent() ? FEW_STEPS : STEPS;
  }

  /** The worst case of a search that cannot be stopped half-way, in steps of a regular expression. */
  get maxUnbroken(): number {
    return 20 * this.maxSteps;
  }

  /** An attempt took so long, and was for nothing. */
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
