/** Changes of a state without delay: a hook that does one step in a run may need as many. */
const FREE_CHANGES = 30;
/** Delay after the first change beyond those; it doubles with each further one. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
/** Beyond its delay, a change counts with the next one of the object for this long. */
const EXPIRY_MS = 10_000;
const MAX_OBJECTS = 10_000;

/** A state that changes again and again. */
export interface StateRush {
  /** How many changes followed each other. */
  readonly changes: number;
  /** Whether it is the first change beyond those that are free. */
  readonly isNew: boolean;
  /** How long the object should not be looked at. */
  readonly delayMs: number;
}

/**
 * Slows down a hook that keeps another state in each run, such as one with the time, and so would run without end.
 * Changes of one object that follow each other within 10 seconds are counted; the last 10,000 objects are known.
 */
export class StatePace {
  readonly #now: () => number;
  readonly #last = new Map<string, { readonly changes: number; readonly restsUntilMs: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes that the state of the object with this uid and binding was changed; returns the rush that it continues. */
  note(key: string): StateRush | undefined {
    const nowMs = this.#now();
    const last = this.#last.get(key);
    const changes = last === undefined || nowMs - last.restsUntilMs > EXPIRY_MS ? 1 : last.changes + 1;
    const beyond = changes - FREE_CHANGES;
    const delayMs = beyond > 0 ? Math.min(FIRST_DELAY_MS * 2 ** Math.min(beyond - 1, 20), MAX_DELAY_MS) : 0;
    this.#last.delete(key);
    this.#last.set(key, { changes, restsUntilMs: nowMs + delayMs });
    const [oldest] = this.#last.size > MAX_OBJECTS ? this.#last.keys() : [];
    if (oldest !== undefined) this.#last.delete(oldest);
    return beyond > 0 ? { changes, isNew: beyond === 1, delayMs } : undefined;
  }
}
