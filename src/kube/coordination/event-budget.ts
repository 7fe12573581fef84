/** How many Events about one object may be sent. */
export interface EventRate {
  readonly burst: number;
  /** After the burst, one in this time. */
  readonly everyMs: number;
}

const MAX_OBJECTS = 2000;

interface Budget {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * How many Events may be sent about each object. Of the objects used least recently nothing is known: they have a whole
 * burst again.
 */
export class EventBudgets {
  readonly #budgets = new Map<string, Budget>();

  /** How long to wait until an Event about the object may be sent; 0: now. */
  waitMs(object: string, rate: EventRate, nowMs: number): number {
    const tokens = this.#tokens(object, rate, nowMs);
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) * rate.everyMs);
  }

  /** An Event about the object is sent. */
  take(object: string, rate: EventRate, nowMs: number): void {
    const tokens = this.#tokens(object, rate, nowMs) - 1;
    this.#budgets.delete(object);
    this.#budgets.set(object, { tokens, atMs: nowMs });
    const [oldest] = this.#budgets.size > MAX_OBJECTS ? this.#budgets.keys() : [];
    if (oldest !== undefined) this.#budgets.delete(oldest);
  }

  #tokens(object: string, { burst, everyMs }: EventRate, nowMs: number): number {
    const known = this.#budgets.get(object);
    return known === undefined ? burst : Math.min(burst, known.tokens + (nowMs - known.atMs) / everyMs);
  }
}
