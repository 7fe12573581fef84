import { JqLimitError } from './signals.ts';

export interface JqLimits {
  /** Loop turns and calls of one run. */
  readonly maxSteps: number;
  readonly timeoutMs: number;
}

const STEPS_PER_CLOCK = 2048;

/** Counts the steps of one run at a time and ends a run that exceeds its limits. */
export class Meter {
  readonly #limits: JqLimits | undefined;
  readonly #nowMs: () => number;
  #untilClock = STEPS_PER_CLOCK;
  #steps = 0;
  #startMs = 0;

  constructor(limits: JqLimits | undefined, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  start(): void {
    if (this.#limits === undefined) return;
    this.#steps = 0;
    this.#untilClock = STEPS_PER_CLOCK;
    this.#startMs = this.#nowMs();
  }

  /** One step; called once a turn by every loop that the size of the input does not bound. */
  tick(): void {
    this.#untilClock -= 1;
    if (this.#untilClock <= 0) this.#check();
  }

  #check(): void {
    this.#untilClock = STEPS_PER_CLOCK;
    this.#steps += STEPS_PER_CLOCK;
    if (this.#limits === undefined) return;
    const { maxSteps, timeoutMs } = this.#limits;
    if (this.#steps > maxSteps) throw new JqLimitError(`the filter was stopped after ${maxSteps} steps`);
    if (this.#nowMs() - this.#startMs > timeoutMs) {
      throw new JqLimitError(`the filter was stopped after ${timeoutMs} ms`);
    }
  }
}
