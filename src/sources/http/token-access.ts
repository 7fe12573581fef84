import { createHash } from 'node:crypto';
import type { KubeClient } from '../../kube/client.ts';
import { reviewAccess, reviewToken } from '../../kube/reviews.ts';
import { remember } from '../../lib/remember.ts';
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
/** For so long a token that was allowed is reviewed again, whatever strangers send meanwhile. */
const KNOWN_MS = 3_600_000;
const REFUSED_MS = 5000;
const MAX_REMEMBERED = 1000;
/** How many tokens of strangers the API server is asked about, of all and of one client. */
const REVIEWS = { perMinute: 600, burst: 50 };
const REVIEWS_OF_SOURCE = { perMinute: 300, burst: 25 };
const MAX_SOURCES = 1000;
const MAX_REVIEWS_AT_ONCE = 50;
const MAX_USER = 253;

interface Remembered {
  readonly access: TokenAccess;
  readonly untilMs: number;
}

/**
 * Asks the API server who the caller with a bearer token is, by TokenReview, and whether this user may `trigger` the
 * hook, by SubjectAccessReview of `hooks.hooklet.dev` with the name of the hook. What was allowed is remembered for 60 s,
 * what was not for 5 s, so that a flood of requests is none for the API server. Tokens that were allowed in the last
 * hour are remembered and reviewed apart from all others, so that a flood of strangers keeps no known caller out.
 */
export class TokenReviews {
  readonly #options: TokenAccessOptions;
  readonly #allowed = new Map<string, Remembered>();
  readonly #refused = new Map<string, Remembered>();
  readonly #reviews: Allowance;
  readonly #bySource = new Map<string, Allowance>();
  /** Reviews under way, by key. */
  readonly #asking = new Map<string, Promise<TokenAccess>>();
  /** How many of them are of strangers. */
  #strangers = 0;

  constructor(options: TokenAccessOptions) {
    this.#options = options;
    this.#reviews = new Allowance(REVIEWS, options.now);
  }

  /** Rejects with `KubeError` when the API server cannot be asked. */
  async accessOf(token: string, hook: string, source: string): Promise<TokenAccess> {
    const key = createHash('sha256').update(`${hook}\n${token}`).digest('hex');
    const nowMs = this.#options.now();
    const allowed = this.#allowed.get(key);
    const known = allowed ?? this.#refused.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.access;
    const asking = this.#asking.get(key);
    if (asking !== undefined) return asking;
    const isStranger = allowed === undefined || nowMs - allowed.untilMs >= KNOWN_MS;
    const retryAfterS = isStranger ? this.#refusal(source) : undefined;
    if (retryAfterS !== undefined) return { type: 'busy', message: 'too many tokens are unknown', retryAfterS };
    if (isStranger) this.#strangers += 1;
    const answer = this.#ask(token, hook, key).finally(() => {
      this.#asking.delete(key);
      if (isStranger) this.#strangers -= 1;
    });
    this.#asking.set(key, answer);
    return answer;
  }

  /** In how many seconds a token of a stranger may come again; undefined: now. */
  #refusal(source: string): number | undefined {
    if (this.#strangers >= MAX_REVIEWS_AT_ONCE) return 1;
    return this.#ofSource(source).refusal() ?? this.#reviews.refusal();
  }

  #ofSource(source: string): Allowance {
    const allowance = this.#bySource.get(source) ?? new Allowance(REVIEWS_OF_SOURCE, this.#options.now);
    remember(this.#bySource, source, { value: allowance, limit: MAX_SOURCES });
    return allowance;
  }

  async #ask(token: string, hook: string, key: string): Promise<TokenAccess> {
    const askedAtMs = this.#options.now();
    // Others may wait for it too, so it ends with none of its callers, but at its limit.
    const access = await this.#review(token, hook, new AbortController().signal);
    const isAllowed = access.type === 'allowed';
    const value = { access, untilMs: askedAtMs + (isAllowed ? ALLOWED_MS : REFUSED_MS) };
    if (!isAllowed) this.#allowed.delete(key);
    remember(isAllowed ? this.#allowed : this.#refused, key, { value, limit: MAX_REMEMBERED });
    return access;
  }

  async #review(token: string, hook: string, signal: AbortSignal): Promise<TokenAccess> {
    const { client, namespace } = this.#options;
    const user = await reviewToken(client, token, signal);
    if (user === undefined) return { type: 'unknown', message: 'the API server does not know this token' };
    const asked = { group: 'hooklet.dev', resource: 'hooks', verb: 'trigger', name: hook, namespace };
    const shown = user.name.slice(0, MAX_USER);
    if (await reviewAccess(client, user, asked, signal)) return { type: 'allowed', user: shown };
    const place = namespace === '' ? '' : ` in the namespace ${namespace}`;
    const message = `${shown} may not trigger this hook: it needs the verb trigger on hooks.hooklet.dev with the name "${hook}"${place}`;
    return { type: 'forbidden', user: shown, message };
  }
}
