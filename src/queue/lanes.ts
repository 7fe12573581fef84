/**
 * What kind of turn a key waits for: `live` for what just happened, `bulk` for what comes in floods, `again` for another
 * attempt after a failure.
 */
export type Lane = 'live' | 'bulk' | 'again';

/** So many live keys in a row have their turn before one of another lane that waits. */
const LIVE_IN_A_ROW = 20;

/**
 * The keys that are ready, each in one lane and in order there. Live keys have their turn first, but for one in 20, so
 * that no lane waits for ever; bulk and again take turns.
 */
export class Lanes {
  readonly #lanes: Readonly<Record<Lane, KeyList>> = { live: new KeyList(), bulk: new KeyList(), again: new KeyList() };
  #liveInARow = 0;
  #other: 'bulk' | 'again' = 'bulk';

  get size(): number {
    return this.#lanes.live.size + this.#lanes.bulk.size + this.#lanes.again.size;
  }

  /** Adds a key that is in no lane at the end of `lane`. */
  add(key: string, lane: Lane): void {
    this.#lanes[lane].add(key);
  }

  has(key: string, lane: Lane): boolean {
    return this.#lanes[lane].has(key);
  }

  delete(key: string): void {
    for (const list of Object.values(this.#lanes)) list.delete(key);
  }

  /** The keys in the order of the lanes. */
  keys(): readonly string[] {
    return Object.values(this.#lanes).flatMap((list) => list.keys());
  }

  /** Removes and returns the key whose turn it is; of the lane `again` only where `mayTryAgain`. */
  take(mayTryAgain: boolean): { readonly key: string; readonly lane: Lane } | undefined {
    const lane = this.#turn(mayTryAgain);
    if (lane === undefined) return undefined;
    this.#liveInARow = lane === 'live' ? this.#liveInARow + 1 : 0;
    if (lane !== 'live') this.#other = lane === 'bulk' ? 'again' : 'bulk';
    const key = this.#lanes[lane].take();
    return key === undefined ? undefined : { key, lane };
  }

  #turn(mayTryAgain: boolean): Lane | undefined {
    const isReady = (lane: Lane): boolean => this.#lanes[lane].size > 0 && (lane !== 'again' || mayTryAgain);
    const second = this.#other === 'bulk' ? 'again' : 'bulk';
    const others: readonly Lane[] = [this.#other, second];
    const other = others.find((lane) => isReady(lane));
    return isReady('live') && (other === undefined || this.#liveInARow < LIVE_IN_A_ROW) ? 'live' : other;
  }
}

/** Distinct keys in the order in which they were added; each call takes a constant time. */
class KeyList {
  readonly #keys = new Set<string>();
  // Kept over calls, since a set passes over all its deleted elements each time it is read from its beginning.
  #first: SetIterator<string> | undefined;

  get size(): number {
    return this.#keys.size;
  }

  add(key: string): void {
    this.#keys.add(key);
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  delete(key: string): void {
    this.#keys.delete(key);
  }

  keys(): readonly string[] {
    return [...this.#keys];
  }

  take(): string | undefined {
    if (this.#keys.size === 0) return undefined;
    const next = (this.#first ??= this.#keys.values()).next();
    if (next.done === true) {
      this.#first = undefined;
      return this.take();
    }
    this.#keys.delete(next.value);
    return next.value;
  }
}
