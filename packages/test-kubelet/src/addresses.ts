const FIRST = 2;
const LAST = 254;

/** The addresses of a node's pods; an address that was released is used again only after all others. */
export class Addresses {
  readonly #addressOf: (host: number) => string;
  readonly #taken = new Set<number>();
  #last = FIRST - 1;

  constructor(addressOf: (host: number) => string) {
    this.#addressOf = addressOf;
  }

  /** Takes a free address; `release` returns it. Throws if there is none. */
  take(): { readonly address: string; readonly release: () => void } {
    for (let tried = FIRST; tried <= LAST; tried++) {
      this.#last = this.#last === LAST ? FIRST : this.#last + 1;
      const host = this.#last;
      if (this.#taken.has(host)) continue;
      this.#taken.add(host);
      return { address: this.#addressOf(host), release: () => void this.#taken.delete(host) };
    }
    throw new Error(`all ${LAST - FIRST + 1} addresses of the node are taken by its pods`);
  }
}
