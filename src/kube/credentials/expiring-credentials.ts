import { CredentialsError } from '../../errors.ts';
import { within } from '../../lib/deadline.ts';
import type { CredentialPart, CredentialSource } from './credentials.ts';

/** Credentials that end at some time. */
export interface ExpiringPart {
  readonly part: CredentialPart;
  /** Milliseconds since the epoch; Infinity when they do not expire. */
  readonly expiresAt: number;
}

/** Longer than any source takes by its own limits; then it is asked anew, whatever became of the last time. */
const OBTAIN_LIMIT_MS = 70_000;
/** Renewed this long before they expire, or after nine tenths of a short life. */
const EARLY_MS = 60_000;
const EARLY_SHARE = 0.1;
/** A failure is not tried again sooner, however many requests wait. */
const MIN_RETRY_MS = 1000;

/**
 * Credentials from something slow, kept until they expire: however many ask at once, it is asked once. Shortly before
 * they expire it is asked in the background, so that nobody waits and a failure harms nobody yet.
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
      // What we hold is still good; the next read tries again.
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
