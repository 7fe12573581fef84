/** When an HTTP/2 connection is pinged, doubted and given up. */
export interface PulseTimes {
  /** From one ping to the next while the answers come. */
  readonly pingEveryMs: number;
  /** Without an answer for so long the connection is doubted: another one is opened beside it. */
  readonly doubtAfterMs: number;
  /** Without an answer for so long it is given up, also when no other can be opened. */
  readonly giveUpAfterMs: number;
}

/** A connection is doubted at most 3 s after it went silent, which leaves 2 s to open another one. */
export const PULSE_TIMES: PulseTimes = { pingEveryMs: 2000, doubtAfterMs: 1000, giveUpAfterMs: 15_000 };

/** What is to be done about a connection, and when to look again. */
export interface PulseStep {
  readonly act: 'nothing' | 'ping' | 'doubt' | 'end';
  readonly nextMs: number;
}

/**
 * A connection brings this much in a second when only its answers are late, as behind a long list. Less is not progress: a
 * hop that passes on a byte a second is not the server.
 */
const PROGRESS_BYTES_PER_SECOND = 1024;

/**
 * Decides from pings what a connection is worth. One that is silent is doubted; it is given up when another connection,
 * asked later, has answered sooner. So a server that is slow on all of them keeps its watches.
 */
export class Pulse {
  readonly #times: PulseTimes;
  #pingEveryMs: number;
  #heardAtMs: number;
  /** When the ping was sent that is not answered yet. */
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

  /** Whether a ping waits for its answer. */
  get isAsked(): boolean {
    return this.#pingedAtMs !== undefined;
  }

  /** The server closes the connection: what breaks it then is seen by pings alone, which come twice as often. */
  hurry(): void {
    this.#pingEveryMs = this.#times.pingEveryMs / 2;
  }

  silentForMs(nowMs: number): number {
    return nowMs - this.#heardAtMs;
  }

  /** A ping is sent; `bytes` is all that ever came on the connection. */
  pinged(nowMs: number, bytes: number): void {
    if (this.#pingedAtMs !== undefined) return;
    this.#pingedAtMs = nowMs;
    this.#lastPingAtMs = nowMs;
    this.#lookedAt = { ms: nowMs, bytes };
  }

  /** The answer to the ping came. */
  answered(nowMs: number): void {
    this.#heardAtMs = nowMs;
    this.#doubtedAtMs = undefined;
    this.#pingedAtMs = undefined;
  }

  /** What to do now; `bytes` as for `pinged`. */
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

  /** Another connection answered what it was asked at `askedAtMs`: whether this one is dead. */
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
