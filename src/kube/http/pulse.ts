/*
 * The decisions about one HTTP/2 connection, as pure logic over times and byte counts; `Session` sends the pings and
 * carries out the steps. A connection is well (the last ping is answered), asked (a ping is in flight), doubted (no
 * answer for 1 s), or given up (no answer for 15 s, or another connection was pinged after the doubt began and
 * answered). So a broken connection ends within seconds, while a server that is slow on all its connections keeps its
 * watches. Enough received data counts as an answer.
 */

/** The times at which an HTTP/2 connection is pinged, doubted and given up. */
export interface PulseTimes {
  /** The interval of pings while they are answered. */
  readonly pingEveryMs: number;
  /** After this long without an answer the connection is doubted, and another one is opened beside it. */
  readonly doubtAfterMs: number;
  /** After this long without an answer it is given up, even if no other can be opened. */
  readonly giveUpAfterMs: number;
}

/** A connection is doubted at most 3 s after it falls silent, which leaves 2 s to open another one. */
export const PULSE_TIMES: PulseTimes = { pingEveryMs: 2000, doubtAfterMs: 1000, giveUpAfterMs: 15_000 };

/** What to do about a connection, and when to check again. */
export interface PulseStep {
  readonly act: 'nothing' | 'ping' | 'doubt' | 'end';
  readonly nextMs: number;
}

/**
 * The rate above which only the answers are late, as behind a long list. A lower rate is not progress: it may be a
 * proxy that passes on a byte a second.
 */
const PROGRESS_BYTES_PER_SECOND = 1024;

/** Decides from its pings whether a connection is in doubt or dead. */
export class Pulse {
  readonly #times: PulseTimes;
  #pingEveryMs: number;
  #heardAtMs: number;
  /** When the unanswered ping was sent. */
  #pingedAtMs: number | undefined;
  #lastPingAtMs = -Infinity;
  #doubtedAtMs: number | undefined;
  #lookedAt: { readonly ms: number; readonly bytes: number };

  constructor(times: PulseTimes, nowMs: number) {
    this.#times = times;
    this.#pingEveryMs = times.pingEveryMs;
    this.#heardAtMs = nowMs;
    this.#lookedAt = { ms: nowMs, bytes: 0 };
  }

  get isDoubted(): boolean {
    return this.#doubtedAtMs !== undefined;
  }

  /** Whether a ping is unanswered. */
  get isAsked(): boolean {
    return this.#pingedAtMs !== undefined;
  }

  /**
   * The server is closing the connection. From then on only pings reveal that it is broken, so they are sent twice as
   * often.
   */
  hurry(): void {
    this.#pingEveryMs = this.#times.pingEveryMs / 2;
  }

  silentForMs(nowMs: number): number {
    return nowMs - this.#heardAtMs;
  }

  /** A ping is sent; `bytes` is the total received on the connection. */
  pinged(nowMs: number, bytes: number): void {
    if (this.#pingedAtMs !== undefined) return;
    this.#pingedAtMs = nowMs;
    this.#lastPingAtMs = nowMs;
    this.#lookedAt = { ms: nowMs, bytes };
  }

  /** The ping is answered. */
  answered(nowMs: number): void {
    this.#heardAtMs = nowMs;
    this.#doubtedAtMs = undefined;
    this.#pingedAtMs = undefined;
  }

  /** Returns what to do now; `bytes` as for `pinged`. */
  look(nowMs: number, bytes: number): PulseStep {
    const { doubtAfterMs, giveUpAfterMs } = this.#times;
    const pingEveryMs = this.#pingEveryMs;
    if (this.#pingedAtMs === undefined) {
      const leftMs = this.#lastPingAtMs + pingEveryMs - nowMs;
      return leftMs > 0 ? { act: 'nothing', nextMs: leftMs } : { act: 'ping', nextMs: doubtAfterMs };
    }
    this.#lookForProgress(nowMs, bytes);
    const silentMs = nowMs - Math.max(this.#pingedAtMs, this.#heardAtMs);
    if (silentMs >= giveUpAfterMs) return { act: 'end', nextMs: pingEveryMs };
    if (silentMs < doubtAfterMs) return { act: 'nothing', nextMs: doubtAfterMs - silentMs };
    const isNew = this.#doubtedAtMs === undefined;
    this.#doubtedAtMs ??= nowMs;
    return { act: isNew ? 'doubt' : 'nothing', nextMs: doubtAfterMs };
  }

  /** Whether this connection is dead, given that another one answered a ping that was sent at `askedAtMs`. */
  isOutlivedBy(askedAtMs: number): boolean {
    return this.#doubtedAtMs !== undefined && this.#doubtedAtMs <= askedAtMs;
  }

  #lookForProgress(nowMs: number, bytes: number): void {
    const { ms, bytes: before } = this.#lookedAt;
    const isProgress = bytes - before >= (PROGRESS_BYTES_PER_SECOND * Math.max(1, nowMs - ms)) / 1000;
    this.#lookedAt = { ms: nowMs, bytes };
    if (!isProgress) return;
    this.#heardAtMs = nowMs;
    this.#doubtedAtMs = undefined;
  }
}
