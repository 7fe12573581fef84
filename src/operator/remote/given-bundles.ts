import type { Certificates, RegisteredBundles } from '../../server/certificates/certificates.ts';

const GIVEN_MS = 24 * 3_600_000;

/**
 * The authorities that Pods were given. A new one signs what is served only when no Pod of the last day knows the one
 * before alone.
 */
export class GivenBundles {
  /** By the bundle, when it was given last, on a monotonic clock. */
  readonly #given = new Map<string, number>();
  readonly #elapsed: () => number;

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** What a Pod is given now; undefined: it is not known yet. */
  give({ caBundle }: Pick<Certificates, 'caBundle'>): string | undefined {
    if (caBundle !== undefined) this.#given.set(caBundle, this.#elapsed());
    return caBundle;
  }

  /** For the certificates, of which `current` are the bundle now. */
  registered(current: () => string | undefined, changes: RegisteredBundles['changes']): RegisteredBundles {
    return {
      bundles: () => {
        for (const [bundle, atMs] of this.#given) if (this.#elapsed() - atMs > GIVEN_MS) this.#given.delete(bundle);
        const now = current();
        return [...new Set([...this.#given.keys(), ...(now === undefined ? [] : [now])])];
      },
      changes,
    };
  }
}
