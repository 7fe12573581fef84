/** Calls `onLate` once unless it is stopped within `limitMs`; a second `start` does not extend the limit. */
export class Watchdog {
  readonly #limitMs: number;
  readonly #onLate: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, onLate: () => void) {
    this.#limitMs = limitMs;
    this.#onLate = onLate;
  }

  start(): void {
    this.#timer ??= setTimeout(this.#onLate, this.#limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
