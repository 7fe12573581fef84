import type { HttpAnswer, HttpRequest, HttpRoute, RequestHead } from './answering.ts';
import { RequestSlots } from './request-slots.ts';

/** Takes the requests that trigger hooks. */
export interface TriggerDoor {
  /** The limit of the body of a request to this path; undefined when nothing is there. */
  readonly maxBodyBytes: (path: string) => number | undefined;
  readonly take: (request: HttpRequest) => Promise<TriggerReply>;
}

/** A JSON document for the caller. */
export interface TriggerReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How many callers a server has at once, those that wait for the end of a run included. */
export const MAX_TRIGGERS_AT_ONCE = 100;
/** The limits of their bodies. */
export const TRIGGER_BODIES = { maxBytes: 8 * 1024 * 1024, limitMs: 10_000 };

const PATH = '/trigger/';
const MAX_BYTES_AT_ONCE = 64 * 1024 * 1024;
/** The body, two reviews by the API server, and the longest wait for the end of a run. */
const ANSWER_LIMIT_MS = 100_000;

/**
 * The routes below `/trigger/` of one server; undefined for other paths. Their requests are bounded apart from those of
 * the server, so that callers who wait take no place of a probe or of a webhook.
 */
export function triggerRoutes({ maxBodyBytes, take }: TriggerDoor): (head: RequestHead) => HttpRoute | undefined {
  const slots = new RequestSlots({ maxRequests: MAX_TRIGGERS_AT_ONCE, maxBytes: MAX_BYTES_AT_ONCE });
  return ({ method, path }) => {
    if (!path.startsWith(PATH)) return undefined;
    return {
      maxBodyBytes: method === 'POST' ? (maxBodyBytes(path) ?? 0) : 0,
      answerLimitMs: ANSWER_LIMIT_MS,
      slots,
      handle: async (request) => answerOf(await take(request)),
    };
  };
}

function answerOf({ status, body, headers }: TriggerReply): HttpAnswer {
  return {
    status,
    type: 'application/json; charset=utf-8',
    body: `${JSON.stringify(body)}\n`,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  };
}
