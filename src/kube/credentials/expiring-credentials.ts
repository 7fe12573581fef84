import { CredentialsError } from '../../errors.ts';
import { within } from '../../lib/deadline.ts';
import type { CredentialPart, CredentialSource } from './credentials.ts';

/** Credentials and the time they expire. */
export interface ExpiringPart {
  readonly part: CredentialPart;
  /** Milliseconds since the epoch; Infinity when they do not expire. */
  readonly expiresAt: number;
}

/** Longer than the limits of any source; after it a hung request is abandoned and a new one may start. */
const OBTAIN_LIMIT_MS = 70_000;
/** Credentials are renewed this long before they expire, or when a tenth of a shorter life is left. */
const EARLY_MS = 60_000;
const EARLY_SHARE = 0.1;
/** A failure is returned to every request for this long before the source is tried again. */
const MIN_RETRY_MS = 1000;

/**
 * Caches credentials from a slow source until they expire. Concurrent reads share one request to the source. Shortly
 * before they expire they are renewed in the background, so no reader waits and a failure does no harm yet.
 */
export function expiringCredentials(obtain: () => Promise<ExpiringPart>): CredentialSource {
  return new ExpiringCredentials(obtain);
}

class ExpiringCredentials implements CredentialSource {
  readonly #obtain: () => Promise<ExpiringPart>;
  #current: ExpiringPart | undefined;
  #renewAt = 0;
  #obtaining: Promise<ExpiringPart> | undefined;
  #failure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(obtain: () => Promise<ExpiringPart>) {
    this.#obtain = obtain;
  }

  async read(): Promise<CredentialPart> {
    const now = Date.now();
    const current = this.#current;
    if (current === undefined || now >= current.expiresAt) return (await this.#renew()).part;
    if (now >= this.#renewAt) {
      // The current credentials are still valid; the next read tries again.
      this.#renew().catch(() => {});
    }
    return current.part;
  }

  invalidate(): void {
    this.#current = undefined;
  }

  async #renew(): Promise<ExpiringPart> {
    if (this.#failure !== undefined && Date.now() - this.#failure.at < MIN_RETRY_MS) throw this.#failure.error;
    this.#obtaining ??= this.#obtainOnce();
    return this.#obtaining;
  }

  async #obtainOnce(): Promise<ExpiringPart> {
    try {
      const obtained = await within(this.#obtain(), { limitMs: OBTAIN_LIMIT_MS, late });
      const now = Date.now();
      const early = Math.min(EARLY_MS, Math.max(0, obtained.expiresAt - now) * EARLY_SHARE);
      this.#current = obtained;
      this.#renewAt = obtained.expiresAt - early;
      this.#failure = undefined;
      return obtained;
    } catch (error) {
      this.#failure = { error, at: Date.now() };
      throw error;
    } finally {
      this.#obtaining = undefined;
    }
  }
}

function late(): never {
  throw new CredentialsError(`no credentials within ${OBTAIN_LIMIT_MS / 1000} s; look at the plugin or the issuer`);
}
