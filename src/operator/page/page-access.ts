import { createHash } from 'node:crypto';
import type { KubeClient } from '../../kube/client.ts';
import { reviewAccess, reviewToken, type ReviewedUser } from '../../kube/reviews.ts';
import type { PageAccess, PageRight, PageUser, TokenAnswer } from '../../server/page/access.ts';
import { Allowance } from '../../sources/http/request-rates.ts';
import { remember } from '../../lib/remember.ts';

export interface PageAccessOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** The namespace in which rights are asked for: that of the operator. */
  readonly namespace: string;
  readonly now: () => number;
}

export const PAGE_GROUP = 'hooks.hooklet.dev';

const KNOWN_MS = 60_000;
const UNKNOWN_MS = 5000;
const ALLOWED_MS = 300_000;
const DENIED_MS = 30_000;
const MAX_TOKENS = 500;
const MAX_RIGHTS = 5000;
/** How many tokens the API server is asked about that it did not know before: of all clients, and of one. */
const REVIEWS = { perMinute: 120, burst: 30 };
const REVIEWS_OF_SOURCE = { perMinute: 30, burst: 10 };
const MAX_SOURCES = 500;
const MAX_USER = 253;
const ANONYMOUS = 'system:anonymous';

interface Remembered<T> {
  readonly value: T;
  readonly untilMs: number;
}

/**
 * Asks the API server whose a token is, by TokenReview, and what that user may do, by SubjectAccessReview of verbs on
 * `hooks`, `runs` and `queues` of the group `hooks.hooklet.dev`. Tokens are remembered as hashes, known ones for 60 s;
 * rights that were allowed for 5 min, others for 30 s. Requests at the same time share a review.
 */
export class ReviewedAccess implements PageAccess {
  readonly #options: PageAccessOptions;
  readonly #tokens = new Map<string, Remembered<Promise<TokenAnswer>>>();
  readonly #rights = new Map<string, Remembered<Promise<boolean>>>();
  readonly #reviewed = new WeakMap<PageUser, ReviewedUser>();
  readonly #reviews: Allowance;
  readonly #bySource = new Map<string, Allowance>();
  /** Hashes of tokens that were known, which strangers must not keep out. */
  readonly #wasKnown = new Set<string>();

  constructor(options: PageAccessOptions) {
    this.#options = options;
    this.#reviews = new Allowance(REVIEWS, options.now);
  }

  readonly userOf = async (token: string, source: string): Promise<TokenAnswer> => {
    const key = createHash('sha256').update(token).digest('hex');
    const nowMs = this.#options.now();
    const known = this.#tokens.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.value;
    const retryAfterS = this.#wasKnown.has(key) ? undefined : this.#refusal(source);
    if (retryAfterS !== undefined) return { type: 'busy', retryAfterS };
    const value = this.#review(token, key);
    remember(this.#tokens, key, { value: { value, untilMs: nowMs + KNOWN_MS }, limit: MAX_TOKENS });
    const forget = (untilMs: number): void => {
      if (this.#tokens.get(key)?.value === value) this.#tokens.set(key, { value, untilMs });
    };
    value.then(
      (answer) => answer.type === 'known' || forget(nowMs + UNKNOWN_MS),
      () => forget(0),
    );
    return value;
  };

  readonly may = async (user: PageUser, right: PageRight): Promise<boolean> => {
    const reviewed = this.#reviewed.get(user);
    if (reviewed === undefined) return false;
    const { verb, resource, name = '' } = right;
    const key = JSON.stringify([reviewed.spec, verb, resource, name]);
    const nowMs = this.#options.now();
    const known = this.#rights.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.value;
    const asked = { group: PAGE_GROUP, ...right, namespace: this.#options.namespace };
    const value = reviewAccess(this.#options.client, reviewed, asked, new AbortController().signal);
    remember(this.#rights, key, { value: { value, untilMs: nowMs + ALLOWED_MS }, limit: MAX_RIGHTS });
    const forget = (untilMs: number): void => {
      if (this.#rights.get(key)?.value === value) this.#rights.set(key, { value, untilMs });
    };
    value.then(
      (isAllowed) => isAllowed || forget(nowMs + DENIED_MS),
      () => forget(0),
    );
    return value;
  };

  async #review(token: string, key: string): Promise<TokenAnswer> {
    // Others may wait for it too, so it ends with none of its callers, but at its limit.
    const reviewed = await reviewToken(this.#options.client, token, new AbortController().signal);
    if (reviewed === undefined || reviewed.name === ANONYMOUS) {
      this.#wasKnown.delete(key);
      return { type: 'unknown' };
    }
    this.#wasKnown.add(key);
    const [oldest] = this.#wasKnown;
    if (this.#wasKnown.size > MAX_TOKENS && oldest !== undefined) this.#wasKnown.delete(oldest);
    const user: PageUser = { name: reviewed.name.slice(0, MAX_USER), groups: reviewed.groups };
    this.#reviewed.set(user, reviewed);
    return { type: 'known', user };
  }

  /** In how many seconds an unknown token of this client may come again; undefined: now. */
  #refusal(source: string): number | undefined {
    const allowance = this.#bySource.get(source) ?? new Allowance(REVIEWS_OF_SOURCE, this.#options.now);
    remember(this.#bySource, source, { value: allowance, limit: MAX_SOURCES });
    return allowance.refusal() ?? this.#reviews.refusal();
  }
}
