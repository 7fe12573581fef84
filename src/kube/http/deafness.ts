/** Requests that wait for so long without any sign of life, and no attempt ending, are held by a fault of our own. */
const REQUEST_SILENCE_MS = 25_000;
/** Bookmarks come once a minute and pings more often: a watch that is silent for longer is explained by neither. */
const WATCH_SILENCE_MS = 90_000;

/** A request under way, or a response that is being read. */
export interface Use {
  readonly type: 'request' | 'watch';
  readonly sinceMs: number;
  /** When something last came for it, or on its connection. */
  heardAtMs(): number;
}

/**
 * Decides whether the connections to the API server are deaf: requests are made, and nothing becomes of them, not even a
 * failure. A server that cannot be reached is another matter: the attempts to reach it fail.
 */
export class Deafness {
  readonly #uses = new Set<Use>();
  /** Since when requests were made without a sign of life. */
  #askedAtMs: number | undefined;

  get hasUses(): boolean {
    return this.#uses.size > 0;
  }

  begin(use: Use): void {
    this.#uses.add(use);
    if (use.type === 'request') this.#askedAtMs ??= use.sinceMs;
  }

  /** It got an answer, or failed: connections are tried. */
  settled(use: Use): void {
    this.#uses.delete(use);
    this.#askedAtMs = undefined;
  }

  /** It was left without either, as a `late` one because its time was over. */
  left(use: Use, isLate: boolean): void {
    this.#uses.delete(use);
    this.#heard(use.heardAtMs());
    if (!isLate && !this.#isAsking()) this.#askedAtMs = undefined;
  }

  /** How long nothing was heard, when that is longer than can be. */
  silenceMs(nowMs: number): number | undefined {
    for (const use of this.#uses) if (use.type === 'request') this.#heard(use.heardAtMs());
    const watches = [...this.#uses].filter(({ type }) => type === 'watch');
    const silences = watches.map((use) => nowMs - Math.max(use.sinceMs, use.heardAtMs()));
    const longest = Math.max(0, ...silences);
    if (longest >= WATCH_SILENCE_MS) return longest;
    const waitedMs = this.#askedAtMs === undefined ? 0 : nowMs - this.#askedAtMs;
    return waitedMs >= REQUEST_SILENCE_MS ? waitedMs : undefined;
  }

  /** The process itself stood still for so long. */
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
