import type { Store, StoreRead, StoreWrite } from '../../src/state/store.ts';

/**
 * Texts that several processes share; each has its own `view`, and a write that did not see the last one is a conflict.
 */
export class MemoryStore {
  readonly texts = new Map<string, string>();
  version = 0;
  writes = 0;
  /** Thrown by reads and writes while set. */
  trouble: Error | undefined;
  /** Returned by reads and writes while set. */
  refusal: Error | undefined;
  /** The next write takes effect, but its response is lost. */
  losesAnswer = false;

  view(): Store {
    let seen = -1;
    return {
      place: 'memory',
      read: async (): Promise<StoreRead> => {
        if (this.trouble !== undefined) throw this.trouble;
        if (this.refusal !== undefined) return { type: 'refused', error: this.refusal, advice: 'a better store' };
        seen = this.version;
        return { type: 'read', texts: new Map(this.texts) };
      },
      write: async (changes): Promise<StoreWrite> => {
        if (this.trouble !== undefined) throw this.trouble;
        if (this.refusal !== undefined) return { type: 'refused', error: this.refusal, advice: 'a better store' };
        if (seen !== this.version) return { type: 'conflict' };
        for (const [key, text] of changes) this.texts.set(key, text);
        this.writes += 1;
        seen = this.version += 1;
        if (!this.losesAnswer) return { type: 'written' };
        this.losesAnswer = false;
        throw new Error('the answer was lost');
      },
    };
  }

  /** What is stored, read back. */
  values(): readonly Readonly<Record<string, unknown>>[] {
    return [...this.texts.values()].map((text): Readonly<Record<string, unknown>> => JSON.parse(text));
  }
}

/** A store that can be closed; after that nothing gets through, as if its process was killed. */
export class StoreGate implements Store {
  readonly place: string;
  readonly #store: Store | undefined;
  #isClosed = false;

  constructor(store: Store | undefined) {
    this.#store = store;
    this.place = store?.place ?? '';
  }

  close(): void {
    this.#isClosed = true;
  }

  async read(signal: AbortSignal): Promise<StoreRead> {
    return this.#open().read(signal);
  }

  async write(changes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<StoreWrite> {
    return this.#open().write(changes, signal);
  }

  #open(): Store {
    if (this.#isClosed || this.#store === undefined) throw new Error('the process was killed');
    return this.#store;
  }
}
