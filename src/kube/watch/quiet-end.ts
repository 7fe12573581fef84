/** Aborts `signal` after `limitMs` without `refresh`, counted from `start`, and when `outer` aborts. */
export class QuietEnd implements Disposable {
  readonly #limitMs: number;
  readonly #outer: AbortSignal;
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort(this.#outer.reason);
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, outer: AbortSignal) {
    this.#limitMs = limitMs;
    this.#outer = outer;
    outer.addEventListener('abort', this.#abort, { once: true });
    if (outer.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the silence, and not `outer`, aborted the signal. */
  get isOver(): boolean {
    return this.signal.aborted && !this.#outer.aborted;
  }

  start(): void {
    this.#timer ??= setTimeout(() => this.#controller.abort(new Error('a quiet stream')), this.#limitMs);
  }

  /** Data arrived: restarts the limit. */
  refresh(): void {
    this.#timer?.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#abort);
  }
}
