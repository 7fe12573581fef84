/** What trickles is given up after so long. */
export const TRICKLE_LIMIT_MS = 1500;
/** A line that has begun and of which nothing more comes, after so long: a segment that was lost may come again. */
const HALT_LIMIT_MS = 2500;
/** Less is no progress: a hop that passes on a byte a second is not the server. Any link of use brings far more. */
const PROGRESS_BYTES_PER_SECOND = 1024;
/** What comes over a longer time than this does not come at once. */
const AT_ONCE_MS = 500;

/** What came since a moment, of a line that has not come to its end. */
interface Begun {
  readonly sinceMs: number;
  bytes: number;
  grewAtMs: number;
}

/**
 * Decides whether the lines of a stream come to their ends. The server sends each of them at once, so one that stays in
 * its middle, or trickles, is held up on the way. A long one may take any time, as long as it brings progress.
 */
export class LineProgress {
  #begun: Begun | undefined;
  #isMidLine = false;

  /** Bytes came, also those that frame the stream. */
  grew(nowMs: number, bytes: number): void {
    this.#begun ??= { sinceMs: nowMs, bytes: 0, grewAtMs: nowMs };
    this.#begun.bytes += bytes;
    this.#begun.grewAtMs = nowMs;
  }

  /** A part of the stream came: whether a line ended in it, and whether another began after that. */
  came(nowMs: number, { hasEnd, isMidLine }: { readonly hasEnd: boolean; readonly isMidLine: boolean }): void {
    if (hasEnd) this.#begun = undefined;
    this.#isMidLine = isMidLine;
    if (isMidLine) this.#begun ??= { sinceMs: nowMs, bytes: 0, grewAtMs: nowMs };
  }

  /** The reader holds up the stream itself. */
  excuse(nowMs: number): void {
    if (this.#begun !== undefined) this.#begun = { sinceMs: nowMs, bytes: 0, grewAtMs: nowMs };
  }

  /** Whether a line is held up; else when to look again, if anything has begun. */
  look(nowMs: number): { readonly isStuck: boolean; readonly nextMs: number | undefined } {
    const begun = this.#begun;
    if (begun === undefined) return { isStuck: false, nextMs: undefined };
    const passedMs = nowMs - begun.sinceMs;
    if (passedMs < TRICKLE_LIMIT_MS) return { isStuck: false, nextMs: TRICKLE_LIMIT_MS - passedMs };
    if (begun.bytes >= (PROGRESS_BYTES_PER_SECOND * passedMs) / 1000) {
      this.excuse(nowMs);
      return { isStuck: false, nextMs: TRICKLE_LIMIT_MS };
    }
    if (begun.grewAtMs - begun.sinceMs >= AT_ONCE_MS) return { isStuck: true, nextMs: undefined };
    if (this.#isMidLine) {
      const isStuck = passedMs >= HALT_LIMIT_MS;
      return { isStuck, nextMs: isStuck ? undefined : HALT_LIMIT_MS - passedMs };
    }
    // A little that came at once and is no part of a line, such as the end of a chunk.
    this.#begun = undefined;
    return { isStuck: false, nextMs: undefined };
  }
}
