import type { Logger } from '../../log.ts';
import type { WebhookReply, WebhookRoute } from '../../server/webhook-server.ts';

export interface BrokenRoutesOptions {
  /** The names of the hooks that are broken now. */
  readonly broken: () => readonly string[];
  /** A request to the webhook of a broken hook was answered. */
  readonly onRequest: (webhook: BrokenWebhook) => void;
  readonly maxBodyBytes: number;
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

/** A webhook of a hook that does not run. */
export interface BrokenWebhook {
  readonly hook: string;
  /** The name of the webhook. */
  readonly binding: string;
}

const PREFIX = '/hooks/';
const LOG_EVERY_MS = 60_000;
const MAX_SHOWN = 5;

/**
 * Answers for webhooks that are still registered while their hooks are broken: callers are told why, with a status that
 * leaves the decision to `failurePolicy`. Of a hook that was never loaded it is not known which webhooks it has.
 */
export class BrokenRoutes {
  readonly #options: BrokenRoutesOptions;
  /** By path. */
  #known: ReadonlyMap<string, BrokenWebhook> = new Map();
  /** When it was logged last, by what was logged: nothing that a caller makes up. */
  readonly #loggedAtMs = new Map<string, number>();

  constructor(options: BrokenRoutesOptions) {
    this.#options = options;
  }

  /** The hooks were loaded again: `before` are the webhooks, by path, that ran until now. */
  update(before: ReadonlyMap<string, BrokenWebhook>): void {
    const broken = new Set(this.#options.broken());
    this.#known = new Map([...this.#known, ...before].filter(([, { hook }]) => broken.has(hook)));
    this.#loggedAtMs.clear();
  }

  /** The route of a path that no hook that runs has; undefined where no hook is broken. */
  routeOf(path: string): WebhookRoute | undefined {
    const broken = this.#options.broken();
    if (broken.length === 0 || !path.startsWith(PREFIX)) return undefined;
    const known = this.#known.get(path);
    const shown = broken.length > MAX_SHOWN ? [...broken.slice(0, MAX_SHOWN), '…'] : broken;
    const text =
      known === undefined
        ? `no hook that runs has this webhook, and these are broken and do not run, see their logs: ${shown.join(', ')}`
        : `hook ${known.hook} is broken and does not run, see its log`;
    return {
      maxBodyBytes: this.#options.maxBodyBytes,
      isOffered: () => false,
      answer: async () => this.#answer(known, text),
    };
  }

  #answer(known: BrokenWebhook | undefined, text: string): WebhookReply {
    const { onRequest, log } = this.#options;
    if (known !== undefined) onRequest(known);
    if (this.#mayLog(known?.binding ?? '')) log.warn({ ...known, reason: text }, 'a webhook was called in vain');
    return { status: 500, type: 'text/plain; charset=utf-8', body: `${text}\n` };
  }

  #mayLog(what: string): boolean {
    const nowMs = this.#options.monotonicMs();
    const lastMs = this.#loggedAtMs.get(what);
    if (lastMs !== undefined && nowMs - lastMs < LOG_EVERY_MS) return false;
    this.#loggedAtMs.set(what, nowMs);
    return true;
  }
}
