/** A line that trickles is given up after this long. */
export const TRICKLE_LIMIT_MS = 1500;
/** A line of which nothing more arrives is given up after this long; a lost segment may be retransmitted before. */
const HALT_LIMIT_MS = 2500;
/** A lower rate is not progress: it may be a proxy that passes on a byte a second. Any usable link is far faster. */
const PROGRESS_BYTES_PER_SECOND = 1024;
/** Data that arrives over a longer time than this did not arrive at once. */
const AT_ONCE_MS = 500;

/** The data received since some moment for a line that is not complete. */
interface Begun {
  readonly sinceMs: number;
  bytes: number;
  grewAtMs: number;
}

/**
 * Decides whether a line of a stream is stalled. The server sends each line at once, so a line that stops in its
 * middle, or trickles, is held up on the way. A long line may take any time as long as it makes progress.
 */
export class LineProgress {
  #begun: Begun | undefined;
  #isMidLine = false;

  /** Bytes arrived, including those of the framing. */
  grew(nowMs: number, bytes: number): void {
    this.#begun ??= { sinceMs: nowMs, bytes: 0, grewAtMs: nowMs };
    this.#begun.bytes += bytes;
    this.#begun.grewAtMs = nowMs;
  }

  /** A part of the stream arrived: `hasEnd` when a line ended in it, `isMidLine` when another one began after that. */
  came(nowMs: number, { hasEnd, isMidLine }: { readonly hasEnd: boolean; readonly isMidLine: boolean }): void {
    if (hasEnd) this.#begun = undefined;
    this.#isMidLine = isMidLine;
    if (isMidLine) this.#begun ??= { sinceMs: nowMs, bytes: 0, grewAtMs: nowMs };
  }

  /** The reader has paused the stream: restarts the measurement. */
  excuse(nowMs: number): void {
    if (this.#begun !== undefined) this.#begun = { sinceMs: nowMs, bytes: 0, grewAtMs: nowMs };
  }

  /** Returns whether a line is stalled, and when to check again: undefined when no line has begun. */
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
    // A few bytes that arrived at once and belong to no line, such as the end of a chunk.
    this.#begun = undefined;
    return { isStuck: false, nextMs: undefined };
  }
}
