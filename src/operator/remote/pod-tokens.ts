import { createHash } from 'node:crypto';
import { JOB_AUDIENCE } from '../../hook/job-desk.ts';
import type { DeskCaller } from '../../hook/remote-run.ts';
import type { KubeClient } from '../../kube/client.ts';
import { asJsonObject } from '../../kube/object.ts';
import { reviewToken, type ReviewedUser } from '../../kube/reviews.ts';
import { within } from '../../lib/deadline.ts';
import { remember } from '../../lib/remember.ts';

export interface PodTokensOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

const KEPT_MS = 60_000;
const KEPT_UNKNOWN_MS = 10_000;
/** How long a known answer serves while the API server gives none, so that no run is lost with it. */
const KEPT_AWAY_MS = 600_000;
const PATIENCE_MS = 2000;
const MAX_KEPT = 4000;
const ACCOUNT = /^system:serviceaccount:([a-z0-9-]{1,63}):([^:]+)$/;

interface Kept {
  readonly caller: DeskCaller | undefined;
  readonly untilMs: number;
}

/**
 * Finds the Pod whose token it is, and keeps the answer for a minute, that for an unknown token for 10 s; the server bounds
 * how many are asked about at once. While the API server fails, or takes longer than 2 s, an answer that it gave in the
 * last 10 min holds.
 */
export class PodTokens {
  readonly #options: PodTokensOptions;
  readonly #known = new Map<string, Kept>();
  readonly #unknown = new Map<string, Kept>();
  readonly #asking = new Map<string, Promise<DeskCaller | undefined>>();

  constructor(options: PodTokensOptions) {
    this.#options = options;
  }

  /** Undefined for a token that is none of a Pod for hooklet; rejects when nothing is known and the API server fails. */
  async identify(token: string): Promise<DeskCaller | undefined> {
    // The token itself is kept nowhere.
    const key = createHash('sha256').update(token).digest('base64');
    const kept = this.#known.get(key) ?? this.#unknown.get(key);
    if (kept !== undefined && kept.untilMs > this.#options.elapsed()) return kept.caller;
    const asking = this.#asking.get(key) ?? this.#review(token, key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    const { caller, untilMs } = this.#known.get(key) ?? { untilMs: 0 };
    if (caller === undefined || untilMs - KEPT_MS + KEPT_AWAY_MS <= this.#options.elapsed()) return asking;
    return within(asking, { limitMs: PATIENCE_MS, late: () => caller }).catch(() => caller);
  }

  async #review(token: string, key: string): Promise<DeskCaller | undefined> {
    const { client, elapsed } = this.#options;
    // Others may wait for it too, so it ends with none of its callers, but at its limit.
    const user = await reviewToken(client, token, new AbortController().signal, JOB_AUDIENCE);
    const caller = user && callerOf(user);
    if (caller === undefined) this.#known.delete(key);
    const untilMs = elapsed() + (caller === undefined ? KEPT_UNKNOWN_MS : KEPT_MS);
    const kept = { value: { caller, untilMs }, limit: MAX_KEPT };
    remember(caller === undefined ? this.#unknown : this.#known, key, kept);
    return caller;
  }
}

/** A token that is bound to a Pod names it. */
function callerOf({ name, spec }: ReviewedUser): DeskCaller | undefined {
  const [, namespace, account] = ACCOUNT.exec(name) ?? [];
  const extra = asJsonObject(spec['extra']);
  const pod = only(extra['authentication.kubernetes.io/pod-name']);
  const podUid = only(extra['authentication.kubernetes.io/pod-uid']);
  if (namespace === undefined || account === undefined || pod === undefined || podUid === undefined) return undefined;
  return { namespace, account, pod, podUid };
}

function only(values: unknown): string | undefined {
  const [value, ...more]: readonly unknown[] = Array.isArray(values) ? values : [];
  return typeof value === 'string' && value !== '' && more.length === 0 ? value : undefined;
}
