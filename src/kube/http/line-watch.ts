import type { HttpResponse } from './http.ts';
import { LineProgress, TRICKLE_LIMIT_MS } from './line-progress.ts';

const NEWLINE = 10;

/** Monitors the lines of a response while one has begun; calls `onStuck` when a line is stalled. */
export class LineWatch {
  readonly #progress = new LineProgress();
  readonly #body: HttpResponse['body'];
  readonly #onStuck: () => void;
  readonly #stopListening: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor({ body, carrier }: HttpResponse, onStuck: () => void) {
    this.#body = body;
    this.#onStuck = onStuck;
    // Over HTTP/1.1 the framing may trickle too; there the connection carries one response at a time, so all its bytes
    // count.
    this.#stopListening = carrier.onBytes?.((bytes) => this.#grew(bytes));
  }

  /** Called for each chunk of the body. */
  came(chunk: Uint8Array): void {
    if (this.#stopListening === undefined) this.#grew(chunk.length);
    const lastEnd = chunk.lastIndexOf(NEWLINE);
    this.#progress.came(performance.now(), { hasEnd: lastEnd !== -1, isMidLine: lastEnd !== chunk.length - 1 });
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#stopListening?.();
  }

  #grew(bytes: number): void {
    this.#progress.grew(performance.now(), bytes);
    // One timer serves many lines: a line that has ended by then is not stalled.
    if (this.#timer === undefined) this.#lookIn(TRICKLE_LIMIT_MS);
  }

  #lookIn(delayMs: number): void {
    // After a pause of this process the rest may wait in the socket: check only after it has been read.
    this.#timer = setTimeout(() => setImmediate(() => this.#look()), delayMs);
    this.#timer.unref();
  }

  #look(): void {
    if (this.#isEnded) return;
    const nowMs = performance.now();
    if (this.#body.isPaused()) this.#progress.excuse(nowMs);
    const { isStuck, nextMs } = this.#progress.look(nowMs);
    this.#timer = undefined;
    if (isStuck) this.#onStuck();
    else if (nextMs !== undefined) this.#lookIn(nextMs);
  }
}
