import type { JsonObject } from '@hooklet/sandbox';
import type { Logger } from '../log.ts';

export interface ManifestApplierOptions {
  readonly apply: (object: JsonObject) => Promise<unknown>;
  /** What the log calls an object. */
  readonly identity: (object: JsonObject) => string;
  readonly log: Logger;
}

interface Refusal {
  readonly file: string;
  readonly error: unknown;
  readonly isTold: boolean;
}

/** Applies objects of files, and remembers those that were refused: they may need one that comes later. */
export class ManifestApplier {
  readonly #options: ManifestApplierOptions;
  readonly #refused = new Map<JsonObject, Refusal>();
  #hasProgress = false;

  constructor(options: ManifestApplierOptions) {
    this.#options = options;
  }

  /** Applies one object; what is refused is told by `settle`. */
  async apply(object: JsonObject, file: string): Promise<void> {
    const refusal = await this.#attempt(object, file);
    if (refusal !== undefined) this.#refused.set(object, refusal);
  }

  /** The objects of the file are there no more. */
  forget(file: string): void {
    for (const [object, refusal] of this.#refused) if (refusal.file === file) this.#refused.delete(object);
  }

  /** Tries what was refused once more if anything was applied since the last time; tells each refusal once. */
  async settle(): Promise<void> {
    const isWorthIt = this.#hasProgress;
    for (const [object, earlier] of this.#refused) {
      const refusal = isWorthIt ? await this.#attempt(object, earlier.file) : earlier;
      if (refusal === undefined) this.#refused.delete(object);
      else this.#refused.set(object, this.#tell(object, { ...refusal, isTold: earlier.isTold }));
    }
    this.#hasProgress = false;
  }

  async #attempt(object: JsonObject, file: string): Promise<Refusal | undefined> {
    const { apply, identity, log } = this.#options;
    try {
      await apply(object);
    } catch (error) {
      return { file, error, isTold: false };
    }
    log.info({ object: identity(object), file }, 'manifest applied');
    this.#hasProgress = true;
    return undefined;
  }

  #tell(object: JsonObject, refusal: Refusal): Refusal {
    const { identity, log } = this.#options;
    const fields = { object: identity(object), file: refusal.file, err: refusal.error };
    if (!refusal.isTold) log.error(fields, 'manifest could not be applied');
    return { ...refusal, isTold: true };
  }
}
