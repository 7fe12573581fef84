/** Requests that wait this long without any data, while no attempt ends, are blocked by a fault on our side. */
const REQUEST_SILENCE_MS = 25_000;
/** Bookmarks arrive once a minute, and pings more often: a longer silence on a watch has no regular cause. */
const WATCH_SILENCE_MS = 90_000;

/** A request in flight, or a response that is being read. */
export interface Use {
  readonly type: 'request' | 'watch';
  readonly sinceMs: number;
  /** When data last arrived on its connection; `-Infinity` when it has none. */
  heardAtMs(): number;
}

/**
 * Decides whether the connections to the API server are deaf: requests are made, and there is neither an answer nor an
 * error. A server that cannot be reached is different: connecting to it fails.
 */
export class Deafness {
  readonly #uses = new Set<Use>();
  /** Since when requests have been waiting without any data. */
  #askedAtMs: number | undefined;

  get hasUses(): boolean {
    return this.#uses.size > 0;
  }

  begin(use: Use): void {
    this.#uses.add(use);
    if (use.type === 'request') this.#askedAtMs ??= use.sinceMs;
  }

  /** The request was answered or failed, so the connections work. */
  settled(use: Use): void {
    this.#uses.delete(use);
    this.#askedAtMs = undefined;
  }

  /** The caller gave up the request without an answer or an error; `isLate` when it ran into its timeout. */
  left(use: Use, isLate: boolean): void {
    this.#uses.delete(use);
    this.#heard(use.heardAtMs());
    if (!isLate && !this.#isAsking()) this.#askedAtMs = undefined;
  }

  /** Returns how long nothing arrived if that exceeds a limit, else undefined. */
  silenceMs(nowMs: number): number | undefined {
    for (const use of this.#uses) if (use.type === 'request') this.#heard(use.heardAtMs());
    const watches = [...this.#uses].filter(({ type }) => type === 'watch');
    const silences = watches.map((use) => nowMs - Math.max(use.sinceMs, use.heardAtMs()));
    const longest = Math.max(0, ...silences);
    if (longest >= WATCH_SILENCE_MS) return longest;
    const waitedMs = this.#askedAtMs === undefined ? 0 : nowMs - this.#askedAtMs;
    return waitedMs >= REQUEST_SILENCE_MS ? waitedMs : undefined;
  }

  /** The process itself was suspended for `pauseMs`, which must not count as silence. */
  excuse(pauseMs: number): void {
    if (this.#askedAtMs !== undefined) this.#askedAtMs += pauseMs;
  }

  #isAsking(): boolean {
    return this.#uses.values().some(({ type }) => type === 'request');
  }

  #heard(atMs: number): void {
    if (this.#askedAtMs === undefined || atMs <= this.#askedAtMs) return;
    this.#askedAtMs = this.#isAsking() ? atMs : undefined;
  }
}
