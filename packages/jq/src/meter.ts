import { JqLimitError } from './signals.ts';

export interface JqLimits {
  /** Units of work of one run: a turn of a loop, a call, about 16 characters of a text. */
  readonly maxSteps: number;
  readonly timeoutMs: number;
  /** Places of arrays and objects that one run may fill by whole copies, garbage included. */
  readonly maxPlaces?: number;
  /** Characters of one text. */
  readonly maxText?: number;
  /** The most work, by an estimate of the worst case, that may be left to code that cannot be stopped half-way. */
  readonly maxUnbroken?: number;
}

const STEPS_PER_CLOCK = 1024;
// What takes longer in the worst case has the clock looked at after it.
const LONG_UNBROKEN = 5000;

/**
 * Counts the work of one run at a time and ends a run that exceeds its limits. Every loop whose turns data decides
 * ticks, and what copies or scans a whole value says beforehand how large it is.
 */
export class Meter {
  readonly #limits: JqLimits | undefined;
  readonly #nowMs: () => number;
  #slice = STEPS_PER_CLOCK;
  #left = STEPS_PER_CLOCK;
  #steps = 0;
  #places = 0;
  #startMs = 0;

  constructor(limits: JqLimits | undefined, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** What the run has used so far. */
  get steps(): number {
    return this.#steps + this.#slice - this.#left;
  }

  /** The time since the run began. */
  get elapsedMs(): number {
    return this.#nowMs() - this.#startMs;
  }

  start(): void {
    this.#steps = 0;
    this.#places = 0;
    this.#slice = Math.min(STEPS_PER_CLOCK, this.#limits?.maxSteps ?? STEPS_PER_CLOCK);
    this.#left = this.#slice;
    if (this.#limits === undefined) return;
    this.#startMs = this.#nowMs();
  }

  /** One step; called once a turn by every loop that the size of the program does not bound. */
  tick(): void {
    this.#left -= 1;
    if (this.#left <= 0) this.#check();
  }

  /** Work that is about to be done in one go; ends the run before it where it is too much. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left <= 0) this.#check();
  }

  /** A scan or copy of a text of this length is about to begin, or a text of this length to be made. */
  text(length: number): void {
    const maxText = this.#limits?.maxText ?? Number.POSITIVE_INFINITY;
    if (length > maxText) throw new JqLimitError(`the filter was stopped at a text of more than ${maxText} characters`);
    this.spend(length >>> 4);
  }

  /** A container with so many places is about to be made. */
  places(count: number): void {
    this.#places += count;
    const maxPlaces = this.#limits?.maxPlaces ?? Number.POSITIVE_INFINITY;
    if (this.#places > maxPlaces) {
      throw new JqLimitError(`the filter was stopped after ${maxPlaces} places of arrays and objects`);
    }
    this.spend(Math.ceil(count / 8));
  }

  /** Does work that nothing can stop before its end, if its worst case allows. */
  unbroken<T>(worstCase: number, work: () => T): T {
    if (worstCase > (this.#limits?.maxUnbroken ?? Number.POSITIVE_INFINITY)) {
      throw new JqLimitError('the filter was stopped before a regular expression that may take too long');
    }
    const result = work();
    if (worstCase > LONG_UNBROKEN) this.#check();
    return result;
  }

  #check(): void {
    this.#steps += this.#slice - this.#left;
    this.#left = this.#slice;
    if (this.#limits === undefined) return;
    const { maxSteps, timeoutMs } = this.#limits;
    if (this.#steps > maxSteps) throw new JqLimitError(`the filter was stopped after ${maxSteps} steps`);
    if (this.#nowMs() - this.#startMs > timeoutMs) {
      throw new JqLimitError(`the filter was stopped after ${timeoutMs} ms`);
    }
  }
}

/** The meter of the program that runs: runs are synchronous, so builtins need not be handed theirs. */
export function meter(): Meter {
  return running;
}

/** Makes `next` the meter of what runs from here on, and returns the one before it, to be put back at the end. */
export function exchangeMeter(next: Meter): Meter {
  const outer = running;
  running = next;
  return outer;
}

let running = new Meter(undefined, () => 0);
