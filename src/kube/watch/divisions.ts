import { abortable } from '../../lib/abortable.ts';

/** How the question whether a kind is divided ended: with an answer or an error, or without one. */
type Asked = { readonly isDivided: boolean } | { readonly error: unknown } | 'aborted';

/**
 * Which kinds the API server divides into slices (KEP-5866); shared by all watches of a cluster. The lists of slices ask
 * before their first request. Of those that ask at the same time one asks the server, and the others get its answer, or
 * its error; where that one was aborted the next one asks. An answer is final, unless `deny` says that a server no
 * longer divides: then it never counts as dividing the kind again.
 */
export class Divisions {
  readonly #known = new Map<string, boolean>();
  readonly #asking = new Map<string, Promise<Asked>>();

  /** Whether it is known that the server does not divide the kind. */
  isDenied(kind: string): boolean {
    return this.#known.get(kind) === false;
  }

  deny(kind: string): void {
    this.#known.set(kind, false);
  }

  /** Whether the server divides the kind; `ask` asks it, with the signal. */
  async isDivided(kind: string, ask: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const known = this.#known.get(kind);
      if (known !== undefined) return known;
      const asked = await abortable(this.#asking.get(kind) ?? this.#ask(kind, ask, signal), signal);
      if (asked === 'aborted') continue;
      if ('error' in asked) throw asked.error;
    }
  }

  #ask(kind: string, ask: () => Promise<boolean>, signal: AbortSignal): Promise<Asked> {
    const asking = this.#answer(kind, ask, signal).finally(() => this.#asking.delete(kind));
    this.#asking.set(kind, asking);
    return asking;
  }

  async #answer(kind: string, ask: () => Promise<boolean>, signal: AbortSignal): Promise<Asked> {
    try {
      const isDivided = await ask();
      if (!this.#known.has(kind)) this.#known.set(kind, isDivided);
      return { isDivided };
    } catch (error) {
      return signal.aborted ? 'aborted' : { error };
    }
  }
}
