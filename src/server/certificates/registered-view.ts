import type { X509Certificate } from 'node:crypto';
import type { RegisteredBundles } from './certificates.ts';
import { certificatesIn } from './pem.ts';
import { anchorOf } from './trust.ts';

export interface RegisteredViewOptions {
  readonly registered: RegisteredBundles;
  readonly monotonicMs: () => number;
  /** How long a certificate must have been in every bundle until every API server knows it. */
  readonly settleMs: number;
}

/**
 * What is registered, as this replica sees it, and since when: an API server learns of a new bundle by a watch of its
 * own, some time after it was written. `look` is called after each change.
 */
export class RegisteredView {
  readonly #options: RegisteredViewOptions;
  #texts: readonly string[] | undefined;
  /** By text: most objects have the same bundle. */
  #bundles = new Map<string, readonly X509Certificate[]>();
  /** By fingerprint of each certificate that is in every bundle. */
  #everywhereSince = new Map<string, number>();
  /** Those of them that this replica has seen missing somewhere before. */
  #joined = new Set<string>();

  constructor(options: RegisteredViewOptions) {
    this.#options = options;
  }

  /** Whether it is known what is registered. */
  get isKnown(): boolean {
    return this.#texts !== undefined;
  }

  /** Without `countsEmpty`, an object without a bundle counts as if it were not registered. */
  look(countsEmpty: boolean): void {
    const bundles = this.#options.registered.bundles();
    this.#texts = countsEmpty ? bundles : bundles?.filter((text) => text.trim() !== '');
    const known = this.#bundles;
    const hadNone = [...known.values()].every((bundle) => bundle.length === 0);
    const texts = [...new Set(this.#texts)];
    this.#bundles = new Map(texts.map((text) => [text, known.get(text) ?? certificatesIn(text)]));
    // What replaces nothing is known to every API server that knows of the object.
    const nowMs = hadNone && this.#isAlone() ? -Infinity : this.#options.monotonicMs();
    const since = this.#everywhereSince;
    const everywhere = fingerprintsInAll([...this.#bundles.values()]);
    this.#joined = new Set(everywhere.filter((one) => this.#joined.has(one) || (!hadNone && !since.has(one))));
    this.#everywhereSince = new Map(everywhere.map((one) => [one, since.get(one) ?? nowMs]));
  }

  /** The certificate of each registered bundle that makes `chain` trusted; undefined for a bundle without one. */
  anchorsOf(chain: readonly X509Certificate[], nowMs: number): readonly (X509Certificate | undefined)[] {
    const texts = this.#texts ?? [];
    const anchors = new Map(
      [...this.#bundles].map(([text, certificates]) => [text, anchorOf(chain, certificates, nowMs)]),
    );
    return texts.map((text) => anchors.get(text));
  }

  /** Whether every API server knows that a certificate of `issuer` is trusted, wherever one is registered. */
  isSettled(issuer: X509Certificate): boolean {
    if (this.#texts === undefined) return false;
    if (this.#texts.length === 0) return true;
    const since = this.#everywhereSince.get(issuer.fingerprint256);
    return since !== undefined && this.#options.monotonicMs() - since >= this.#options.settleMs;
  }

  /** Whether `issuer`, valid only since `sinceMs` or seen to be added, is with others in bundles and not settled yet. */
  replaces(issuer: X509Certificate, sinceMs: number): boolean {
    const mayBeNew = issuer.validFromDate.getTime() > sinceMs || this.#joined.has(issuer.fingerprint256);
    return mayBeNew && !this.#isAlone() && !this.isSettled(issuer);
  }

  #isAlone(): boolean {
    return [...this.#bundles.values()].every((bundle) => bundle.length === 1);
  }
}

function fingerprintsInAll([first = [], ...rest]: readonly (readonly X509Certificate[])[]): readonly string[] {
  const others = rest.map((bundle) => new Set(bundle.map(({ fingerprint256 }) => fingerprint256)));
  return first
    .map(({ fingerprint256 }) => fingerprint256)
    .filter((fingerprint) => others.every((bundle) => bundle.has(fingerprint)));
}
