/** So many are usual: a rollout, somebody who tries something. */
const FREE = 5;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** After so long without a write, it is not the same quarrel. */
const CALM_MS = 300_000;

/**
 * Spaces out writes that somebody undoes again and again, such as another hooklet that takes itself for this one: after
 * the fifth of the same content they wait for 1 s, and ever longer, up to a minute.
 */
export class UndoneWrites {
  #content = '';
  #count = 0;
  #atMs = -Infinity;

  /** How long to wait before this content is written again, in milliseconds. */
  waitMs(content: string, nowMs: number): number {
    if (content !== this.#content || this.#count < FREE) return 0;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#count - FREE));
    return Math.max(0, this.#atMs + pauseMs - nowMs);
  }

  /** It was written; returns whether from now on the same content waits, and did not before. */
  wrote(content: string, nowMs: number): boolean {
    const isSame = content === this.#content && nowMs - this.#atMs < CALM_MS;
    this.#count = isSame ? this.#count + 1 : 1;
    this.#content = content;
    this.#atMs = nowMs;
    return this.#count === FREE;
  }
}
