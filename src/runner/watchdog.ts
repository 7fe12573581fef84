/** Calls back once when it was not stopped in time; started again, the first start counts. */
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
