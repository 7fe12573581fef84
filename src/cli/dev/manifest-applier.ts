import type { JsonObject } from '@hooklet/sandbox';
import type { Logger } from '../../log.ts';

export interface ManifestApplierOptions {
  readonly apply: (object: JsonObject) => Promise<unknown>;
  /** The name of an object in the log. */
  readonly identity: (object: JsonObject) => string;
  readonly log: Logger;
}

interface Refusal {
  readonly file: string;
  readonly error: unknown;
  readonly isLogged: boolean;
}

/** Applies the objects of files, and retries refused ones later, because they may depend on an object that follows. */
export class ManifestApplier {
  readonly #options: ManifestApplierOptions;
  readonly #refused = new Map<JsonObject, Refusal>();
  #hasProgress = false;

  constructor(options: ManifestApplierOptions) {
    this.#options = options;
  }

  /** Applies one object; a refusal is not logged until `settle`. */
  async apply(object: JsonObject, file: string): Promise<void> {
    const refusal = await this.#attempt(object, file);
    if (refusal !== undefined) this.#refused.set(object, refusal);
  }

  /** Drops the refused objects of a file, because it was changed or removed. */
  forget(file: string): void {
    for (const [object, refusal] of this.#refused) if (refusal.file === file) this.#refused.delete(object);
  }

  /** Retries the refused objects once if any object was applied since the last call; logs each refusal once. */
  async settle(): Promise<void> {
    const isWorthIt = this.#hasProgress;
    for (const [object, earlier] of this.#refused) {
      const refusal = isWorthIt ? await this.#attempt(object, earlier.file) : earlier;
      if (refusal === undefined) this.#refused.delete(object);
      else this.#refused.set(object, this.#logged(object, { ...refusal, isLogged: earlier.isLogged }));
    }
    this.#hasProgress = false;
  }

  async #attempt(object: JsonObject, file: string): Promise<Refusal | undefined> {
    const { apply, identity, log } = this.#options;
    try {
      await apply(object);
    } catch (error) {
      return { file, error, isLogged: false };
    }
    log.info({ object: identity(object), file }, 'manifest applied');
    this.#hasProgress = true;
    return undefined;
  }

  #logged(object: JsonObject, refusal: Refusal): Refusal {
    const { identity, log } = this.#options;
    const fields = { object: identity(object), file: refusal.file, err: refusal.error };
    if (!refusal.isLogged) log.error(fields, 'manifest could not be applied');
    return { ...refusal, isLogged: true };
  }
}
