import { createHash } from 'node:crypto';
import { isObject } from '../../hook/config-reader.ts';
import type { KubeClient } from '../../kube/client.ts';
import { Allowance } from './request-rates.ts';

/** Whether the caller with a token may run a hook. */
export type TokenAccess =
  | { readonly type: 'allowed'; readonly user: string }
  | { readonly type: 'unknown'; readonly message: string }
  | { readonly type: 'forbidden'; readonly user: string; readonly message: string }
  /** Too many unknown tokens came. */
  | { readonly type: 'busy'; readonly message: string; readonly retryAfterS: number };

export interface TokenAccessOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** The namespace in which the right is asked for; empty: in all. */
  readonly namespace: string;
  readonly now: () => number;
}

const ALLOWED_MS = 60_000;
const REFUSED_MS = 5000;
const MAX_REMEMBERED = 1000;
/** How many tokens that are not remembered the API server is asked about. */
const REVIEWS = { perMinute: 600, burst: 50 };
const REVIEW_LIMIT_MS = 10_000;
const MAX_USER = 253;

interface Remembered {
  readonly access: TokenAccess;
  readonly untilMs: number;
}

/**
 * Asks the API server who the caller with a bearer token is, by TokenReview, and whether this user may `trigger` the
 * hook, by SubjectAccessReview of `hooks.hooklet.dev` with the name of the hook. What was allowed is remembered for 60 s,
 * what was not for 5 s, so that a flood of requests is none for the API server.
 */
export class TokenReviews {
  readonly #options: TokenAccessOptions;
  readonly #remembered = new Map<string, Remembered>();
  readonly #reviews: Allowance;

  constructor(options: TokenAccessOptions) {
    this.#options = options;
    this.#reviews = new Allowance(REVIEWS, options.now);
  }

  /** Rejects with `KubeError` when the API server cannot be asked. */
  async accessOf(token: string, hook: string, signal: AbortSignal): Promise<TokenAccess> {
    const key = createHash('sha256').update(`${hook}\n${token}`).digest('hex');
    const known = this.#remembered.get(key);
    const nowMs = this.#options.now();
    if (known !== undefined && known.untilMs > nowMs) return known.access;
    const retryAfterS = this.#reviews.refusal();
    if (retryAfterS !== undefined) return { type: 'busy', message: 'too many tokens are unknown', retryAfterS };
    const access = await this.#review(token, hook, signal);
    this.#remember(key, { access, untilMs: nowMs + (access.type === 'allowed' ? ALLOWED_MS : REFUSED_MS) });
    return access;
  }

  async #review(token: string, hook: string, signal: AbortSignal): Promise<TokenAccess> {
    const { namespace } = this.#options;
    const status = await this.#post('authentication.k8s.io', 'TokenReview', { token }, signal);
    const user = status['authenticated'] === true ? status['user'] : undefined;
    const name = isObject(user) ? user['username'] : undefined;
    if (!isObject(user) || typeof name !== 'string' || name === '') {
      return { type: 'unknown', message: 'the API server does not know this token' };
    }
    const asked = { group: 'hooklet.dev', resource: 'hooks', verb: 'trigger', name: hook, namespace };
    const spec = { user: name, groups: user['groups'], uid: user['uid'], extra: user['extra'] };
    const answer = await this.#post(
      'authorization.k8s.io',
      'SubjectAccessReview',
      { ...spec, resourceAttributes: asked },
      signal,
    );
    const shown = name.slice(0, MAX_USER);
    if (answer['allowed'] === true) return { type: 'allowed', user: shown };
    const place = namespace === '' ? '' : ` in the namespace ${namespace}`;
    const message = `${shown} may not trigger this hook: it needs the verb trigger on hooks.hooklet.dev with the name "${hook}"${place}`;
    return { type: 'forbidden', user: shown, message };
  }

  /** Resolves to the status of the review. */
  async #post(
    group: string,
    kind: string,
    spec: object,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const path = `/apis/${group}/v1/${kind.toLowerCase()}s`;
    const body = JSON.stringify({ apiVersion: `${group}/v1`, kind, spec });
    const answer = await this.#options.client.request(
      { method: 'POST', path, body, timeoutMs: REVIEW_LIMIT_MS },
      signal,
    );
    const status = isObject(answer) ? answer['status'] : undefined;
    return isObject(status) ? status : {};
  }

  #remember(key: string, remembered: Remembered): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, remembered);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
