import { messageOf } from '../../lib/message-of.ts';

/** The digest of the hooks of this operator, as far as it is known; it is looked at when a worker or a run comes. */
export class KnownDigest {
  readonly #read: () => Promise<string>;
  readonly #onChange: () => void;
  #current: string | undefined;
  #problem: string | undefined;
  #looking: Promise<void> | undefined;

  constructor(read: () => Promise<string>, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  /** Undefined until it is known; the last one where it cannot be read any more. */
  get current(): string | undefined {
    return this.#current;
  }

  /** Why it cannot be read; undefined when it can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Reads it anew, once at a time; never rejects. */
  async look(): Promise<void> {
    this.#looking ??= this.#look();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const before = this.#current;
    try {
      this.#current = await this.#read();
      this.#problem = undefined;
    } catch (error) {
      this.#problem = messageOf(error);
    } finally {
      this.#looking = undefined;
    }
    if (this.#current !== before) this.#onChange();
  }
}
