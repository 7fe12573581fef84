/*
 * The HTTPS server that the API server calls: admission reviews at `/hooks/<name>`, conversions at `/<crd>`. It knows
 * only paths and bounds; what a path answers comes from `routeOf`, which is asked for every request, so that hooks may
 * come and go. At most 50 requests run at once, and one more gets a 503 with Retry-After, after which the API server
 * tries again within its own time limit. `/healthz` is answered always. The deadline of a request is shorter than its
 * caller waits, so that the caller gets an answer and not silence.
 */

import type { Logger } from '../log.ts';
import { parseDuration } from '../lib/duration.ts';
import type { HttpAnswer, HttpRoute, RequestHead } from './answering.ts';
import { openHttpServer, type HttpServer } from './http-server.ts';
import type { Port } from './listen-on-port.ts';
import type { Certificate } from './tls-server.ts';
import { MAX_TRIGGERS_AT_ONCE, triggerRoutes, type TriggerDoor } from './trigger-routes.ts';

/** A request to a webhook. */
export interface WebhookCall {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** How long the caller waits, as it says in the query; absent when it does not say so. */
  readonly timeoutMs?: number;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
}

/** The answer to it. */
export interface WebhookReply {
  readonly status: number;
  /** The content type. */
  readonly type: string;
  readonly body: string;
}

/** What is called at one path. */
export interface WebhookRoute {
  readonly maxBodyBytes: number;
  /** Whether it could answer now; a GET is 404 if not, by which other installations know. Default: always. */
  readonly isOffered?: () => boolean;
  readonly answer: (call: WebhookCall) => Promise<WebhookReply>;
}

export interface WebhookServerOptions extends Port {
  /** For new connections; called at the start and at each `renew`. */
  readonly certificate: () => Certificate;
  /** Certificates as PEM of which one must have signed that of a caller; empty at the start: every caller is answered. */
  readonly clientCa?: (() => readonly string[]) | undefined;
  /** What is at a path now; undefined: nothing. */
  readonly routeOf: (path: string) => WebhookRoute | undefined;
  /** Takes the requests to `/trigger/`; absent: there is nothing. */
  readonly triggers?: TriggerDoor | undefined;
  readonly log: Logger;
}

const MAX_AT_ONCE = 50;
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const BOUNDS = {
  maxConnections: 256 + MAX_TRIGGERS_AT_ONCE,
  maxPending: 128,
  headersLimitMs: 5000,
  // The API server waits for at most 30 s.
  answerLimitMs: 35_000,
  bodies: { maxBytes: MAX_BODY_BYTES, limitMs: 10_000, maxArriving: 128, maxTotalBytes: 2 * MAX_BODY_BYTES },
  maxConcurrent: MAX_AT_ONCE,
  // As long as an API server waits by default; hooks that run longer end with the operator.
  closeGraceMs: 10_000,
};
const MAX_SHOWN_PATH = 200;

/** Opens the server; rejects with `UsageError` when it cannot listen, and with what `certificate` throws. */
export async function openWebhookServer(options: WebhookServerOptions): Promise<HttpServer> {
  const { address, port, flags, certificate, clientCa, triggers, log } = options;
  const triggerOf = triggers && triggerRoutes(triggers);
  return openHttpServer({
    listen: { type: 'tls', address, port, flags, certificate, clientCa, alsoHttp2: true },
    bounds: BOUNDS,
    route: (head) => triggerOf?.(head) ?? routeOf(head, options),
    explain: (status, text) => plain(status, `hooklet: ${text}`),
    failed: (error, url) => log.error({ err: error, url: url.slice(0, MAX_SHOWN_PATH) }, 'request of a webhook failed'),
    broken: (error) => log.error({ err: error }, 'server of webhooks failed'),
  });
}

function routeOf({ method, path, query, headers }: RequestHead, options: WebhookServerOptions): HttpRoute {
  if (path === '/healthz') return HEALTHZ;
  const route = options.routeOf(path);
  const isMissing = route === undefined || (method !== 'POST' && route.isOffered?.() === false);
  if (isMissing) return answering(404, `hooklet: no hook has a webhook at ${path.slice(0, MAX_SHOWN_PATH)}`);
  if (method !== 'POST') return answering(405, 'hooklet: only POST', { allow: 'POST' });
  const timeoutMs = timeoutOf(query);
  return {
    maxBodyBytes: route.maxBodyBytes,
    handle: async ({ body, signal }) => {
      const call = { body, contentType: headers['content-type'], signal };
      return withRetry(await route.answer({ ...call, ...(timeoutMs !== undefined && { timeoutMs }) }));
    },
  };
}

const HEALTHZ: HttpRoute = { isAlwaysAnswered: true, handle: () => plain(200, 'ok') };

/** `?timeout=10s`, as the API server writes it. */
function timeoutOf(query: URLSearchParams): number | undefined {
  const timeoutMs = parseDuration(query.get('timeout') ?? '');
  return timeoutMs !== undefined && timeoutMs > 0 ? timeoutMs : undefined;
}

function withRetry({ status, type, body }: WebhookReply): HttpAnswer {
  return { status, type, body, ...((status === 429 || status === 503) && { headers: { 'retry-after': '1' } }) };
}

function answering(status: number, text: string, headers?: HttpAnswer['headers']): HttpRoute {
  return { handle: () => ({ ...plain(status, text), ...(headers && { headers }) }) };
}

function plain(status: number, text: string): HttpAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}
