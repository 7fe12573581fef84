/*
 * Which certificate is served, of the newest one and the one that was served before. Each source of certificates has one
 * of these, `offer`s what it read or made, and calls `look` after each change and tick.
 *
 * What must hold: while the one served before is valid and trusted, the newest is served only once every registered
 * bundle has had its issuer for the settle time, as seen by this replica. So it does not matter in which order replicas,
 * registrations and API servers learn of a new certificate.
 */

import type { X509Certificate } from 'node:crypto';
import type { Metrics } from '../../metrics.ts';
import type { Certificate } from '../tls-server.ts';
import type { RegisteredBundles } from './certificates.ts';
import { Changes } from '../../lib/changes.ts';
import { YOUNG_MS } from './bundle.ts';
import type { CertificateClock } from './clock.ts';
import type { Pair } from './pair.ts';
import { isValidAt, pemOf } from './pem.ts';
import { RegisteredView } from './registered-view.ts';

export type CertificateMetrics = Pick<Metrics, 'certificateExpiry' | 'certificateRotations'>;

export interface ServedOptions {
  readonly registered: RegisteredBundles;
  readonly clock: CertificateClock;
  readonly settleMs: number;
  readonly metrics: CertificateMetrics;
}

/** What a source has now. */
export interface Offer {
  readonly pair: Pair;
  /** What `caBundle` of registered objects must have; undefined: the field is left alone. */
  readonly authorities: readonly X509Certificate[] | undefined;
}

/** The certificate that is served, and the bundle that is registered for it. */
export class ServedCertificate {
  readonly view: RegisteredView;
  readonly #options: ServedOptions;
  readonly #changes = new Changes();
  #newest: Pair | undefined;
  #current: Pair | undefined;
  /** What every API server knew the authority of, once. */
  #known: Pair | undefined;
  #authorities: readonly X509Certificate[] | undefined;
  #caBundle: string | undefined;
  #trouble = 'it was not read yet';

  constructor(options: ServedOptions) {
    this.#options = options;
    this.view = new RegisteredView({ ...options, monotonicMs: options.clock.monotonicMs });
  }

  get serving(): Certificate | undefined {
    return this.#current?.certificate;
  }

  get caBundle(): string | undefined {
    return this.#caBundle;
  }

  /** The issuers that were offered last. */
  get authorities(): readonly X509Certificate[] {
    return this.#authorities ?? [];
  }

  /** What is served now. */
  get pair(): Pair | undefined {
    return this.#current;
  }

  get problem(): string | undefined {
    const pair = this.#current;
    if (pair === undefined) return `there is no certificate to serve: ${this.#trouble}`;
    const nowMs = this.#options.clock.now();
    if (!isValidAt(pair.leaf, nowMs)) {
      const { validFromDate, validToDate } = pair.leaf;
      return `the certificate is valid from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`;
    }
    if (!this.view.isKnown) return 'the registered objects are not known yet';
    const anchors = this.view.anchorsOf(pair.chain, nowMs);
    const trusting = known(anchors);
    const refusing = anchors.length - trusting.length;
    if (refusing > 0) {
      return `the caBundle of ${refusing} of ${anchors.length} registered objects does not trust the certificate`;
    }
    return pair !== this.#known && this.#isLate(trusting, nowMs)
      ? 'the authority of the certificate is new, and not every API server may know it'
      : undefined;
  }

  /** Yields after what is served, or the bundle, has changed. */
  changes(signal: AbortSignal): AsyncIterable<void> {
    return this.#changes.follow(signal);
  }

  /** Takes what the source has now. */
  offer({ pair, authorities }: Offer): void {
    const caBundle = authorities && pemOf(authorities);
    const isNew = caBundle !== this.#caBundle;
    if (this.#newest?.certificate.cert !== pair.certificate.cert) this.#newest = pair;
    this.#authorities = authorities;
    this.#caBundle = caBundle;
    if (isNew) this.#changes.notify();
    this.look();
  }

  /** Notes why the source has nothing to offer; what was offered before stays. */
  fail(trouble: string): void {
    this.#trouble = trouble;
  }

  /** Looks at what is registered, and serves the newest certificate if it can. */
  look(): void {
    // Where the field is left alone and empty, the API server trusts what its own system trusts.
    this.view.look(this.#newest === undefined || this.#authorities !== undefined);
    const next = this.#choose();
    const hasChanged = next !== this.#current;
    this.#current = next;
    this.#remember();
    this.#observe();
    if (hasChanged) this.#changes.notify();
  }

  #choose(): Pair | undefined {
    const [current, newest] = [this.#current, this.#newest];
    const nowMs = this.#options.clock.now();
    if (current === undefined || newest === undefined) return newest ?? current;
    if (!isValidAt(newest.leaf, nowMs)) return current;
    if (!isValidAt(current.leaf, nowMs)) return newest;
    const anchors = this.view.anchorsOf(newest.chain, nowMs);
    const trusting = known(anchors);
    if (trusting.length === anchors.length && trusting.every((anchor) => this.view.isSettled(anchor))) {
      return this.view.isKnown ? newest : current;
    }
    // While requests fail anyway, nothing is gained by waiting.
    return trusting.length > known(this.view.anchorsOf(current.chain, nowMs)).length ? newest : current;
  }

  /** A bundle that was emptied and is written again must not make all replicas unready at once. */
  #remember(): void {
    const nowMs = this.#options.clock.now();
    if (this.#current === undefined || !this.view.isKnown) return;
    const anchors = this.view.anchorsOf(this.#current.chain, nowMs);
    const trusting = known(anchors);
    if (trusting.length === anchors.length && !this.#isLate(trusting, nowMs)) this.#known = this.#current;
  }

  #isLate(anchors: readonly X509Certificate[], nowMs: number): boolean {
    return anchors.some((anchor) => this.view.replaces(anchor, nowMs - YOUNG_MS));
  }

  #observe(): void {
    const { certificateExpiry } = this.#options.metrics;
    if (this.#current === undefined) return;
    const { leaf, chain } = this.#current;
    certificateExpiry.set({ which: 'serving' }, leaf.validToDate.getTime() / 1000);
    const anchors = known(this.view.anchorsOf(chain, this.#options.clock.now()));
    const ends = anchors.map(({ validToDate }) => validToDate.getTime() / 1000);
    if (ends.length > 0) certificateExpiry.set({ which: 'ca' }, Math.min(...ends));
  }
}

function known(anchors: readonly (X509Certificate | undefined)[]): readonly X509Certificate[] {
  return anchors.filter((anchor) => anchor !== undefined);
}
