// A jq program runs synchronously, so nothing outside can stop it: no timer fires while it runs. Therefore the program
// counts its own work in steps and ends itself. Every loop whose length depends on data calls `tick` once per
// iteration. Code that scans or copies a whole value calls `spend`, `text` or `places` with its size before it starts.
// A regular expression search cannot be interrupted, so it runs in `unbroken`, with an estimate of its worst case (see
// regex-cost.ts).
//
// A run that exceeds one of its limits ends with a JqLimitError, which jq's `try` does not catch. The limits of steps
// and time are checked about every `STEPS_PER_CLOCK` steps and after long uninterruptible work, the other limits at
// each call.
//
// program.ts makes one meter per program and makes it the current one for the duration of each run. A run may start
// inside the `emit` of another run, whose meter becomes the current one again when the inner run ends.

import type { Numbers } from './number-literal.ts';
import { JqLimitError, JqRoundedError } from './signals.ts';

/** What one run of a program may use before it ends with a JqLimitError. */
export interface JqLimits {
  /**
   * Steps of one run. A loop iteration or a call is one step, and so are about 16 characters of text that is scanned or
   * copied.
   */
  readonly maxSteps: number;
  readonly timeoutMs: number;
  /**
   * The number of array elements and object fields that one run may allocate by copying whole containers, garbage
   * included; default no limit.
   */
  readonly maxPlaces?: number;
  /** The length of one string that the run scans, copies or makes, in UTF-16 units; default no limit. */
  readonly maxText?: number;
  /**
   * The highest worst-case estimate, in steps, of work that cannot be interrupted. Work with a higher estimate is
   * refused before it starts. Default no limit.
   */
  readonly maxUnbroken?: number;
}

const STEPS_PER_CLOCK = 1024;
// The limits are checked right after uninterruptible work with a higher worst-case estimate than this.
const LONG_UNBROKEN = 5000;

/** Counts the work of one run at a time and ends a run that exceeds its limits. */
export class Meter {
  readonly #limits: JqLimits | undefined;
  readonly #nowMs: () => number;
  #slice = STEPS_PER_CLOCK;
  #left = STEPS_PER_CLOCK;
  #steps = 0;
  #places = 0;
  #startMs = 0;
  #isRounded = false;
  /** Which numbers the program keeps as they are written. */
  readonly numbers: Numbers;

  constructor(limits: JqLimits | undefined, nowMs: () => number, numbers: Numbers = 'doubles') {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.numbers = numbers;
  }

  /** The steps of the run so far. */
  get steps(): number {
    return this.#steps + this.#slice - this.#left;
  }

  /** Milliseconds since the run began. */
  get elapsedMs(): number {
    return this.#nowMs() - this.#startMs;
  }

  /** Begins a run; `isRounded` if the input may have lost digits, so that `notePrecision` ends the run. */
  start(isRounded = false): void {
    this.#isRounded = isRounded;
    this.#steps = 0;
    this.#places = 0;
    this.#slice = Math.min(STEPS_PER_CLOCK, this.#limits?.maxSteps ?? STEPS_PER_CLOCK);
    this.#left = this.#slice;
    if (this.#limits === undefined) return;
    this.#startMs = this.#nowMs();
  }

  /** Must be called before a number decides about anything that its last digits may change. */
  notePrecision(value: number): void {
    if (this.#isRounded && Number.isInteger(value) && !Number.isSafeInteger(value)) throw new JqRoundedError();
  }

  /** Counts one step; called once per iteration by every loop that the size of the program does not bound. */
  tick(): void {
    this.#left -= 1;
    if (this.#left <= 0) this.#check();
  }

  /** Counts work that is about to be done in one piece. If it exceeds a limit, the run ends before that work starts. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left <= 0) this.#check();
  }

  /** Must be called before a string of this length is scanned, copied or made. */
  text(length: number): void {
    const maxText = this.#limits?.maxText ?? Number.POSITIVE_INFINITY;
    if (length > maxText) throw new JqLimitError(`the filter was stopped at a text of more than ${maxText} characters`);
    this.spend(length >>> 4);
  }

  /** Must be called before a container with `count` elements or fields is made. */
  places(count: number): void {
    this.#places += count;
    const maxPlaces = this.#limits?.maxPlaces ?? Number.POSITIVE_INFINITY;
    if (this.#places > maxPlaces) {
      throw new JqLimitError(`the filter was stopped after ${maxPlaces} places of arrays and objects`);
    }
    this.spend(Math.ceil(count / 8));
  }

  /** Runs work that cannot be interrupted; throws instead if the worst-case estimate exceeds `maxUnbroken`. */
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

/** The meter of the run in progress. Runs are synchronous, so builtins read it here and need no parameter for it. */
export function meter(): Meter {
  return running;
}

/** Makes `next` the current meter and returns the previous one, which the caller must restore when its run ends. */
export function exchangeMeter(next: Meter): Meter {
  const outer = running;
  running = next;
  return outer;
}

let running = new Meter(undefined, () => 0);
