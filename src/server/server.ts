import type { Logger } from '../log.ts';
import type { HttpAnswer, HttpRoute, RequestHead } from './answering.ts';
import type { HealthReport } from './health.ts';
import { openHttpServer, type HttpServer } from './http-server.ts';
import { createRoutes, routeTo, type Page, type PageText } from './routes.ts';
import { MAX_TRIGGERS_AT_ONCE, TRIGGER_BODIES, triggerRoutes, type TriggerDoor } from './trigger-routes.ts';

const BOUNDS = { maxConnections: 128, maxPending: 8, headersLimitMs: 5000, answerLimitMs: 10_000 };
/** With triggers: callers that wait for the end of a run keep their connections. */
const TRIGGER_BOUNDS = {
  ...BOUNDS,
  maxConnections: BOUNDS.maxConnections + MAX_TRIGGERS_AT_ONCE,
  bodies: TRIGGER_BODIES,
};
const FLAGS = { address: '--listen-address', port: '--listen-port' };
const MAX_SHOWN_PATH = 200;

export interface ServerOptions {
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly metricsText: () => PageText | Promise<PageText>;
  readonly hookMetricsText: () => PageText | Promise<PageText>;
  /** The checks of /readyz. */
  readonly health: () => HealthReport;
  /** The checks of /readyz/webhooks. */
  readonly webhookHealth: () => HealthReport;
  /** The checks of /healthz; default none, so it is ok while the process answers. */
  readonly liveness?: () => HealthReport;
  /** Whether to answer a request with this Host header; default always. */
  readonly isHostAllowed?: (host: string | undefined) => boolean;
  /** Takes the requests to `/trigger/`; absent: there is nothing. */
  readonly triggers?: TriggerDoor | undefined;
  readonly log: Logger;
}

/** Serves metrics and health; rejects with `UsageError` when it cannot listen. */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const { address, port, triggers, log } = options;
  const routes: Routes = { pages: createRoutes(options), triggers: triggers && triggerRoutes(triggers) };
  return openHttpServer({
    listen: { type: 'tcp', address, port, flags: FLAGS },
    bounds: triggers === undefined ? BOUNDS : TRIGGER_BOUNDS,
    route: (head) => routeOf(routes, head, options),
    explain: (status, text) => answerOf(plain(status, `${text}\n`)),
    failed: (error, url) => log.error({ err: error, url: url.slice(0, MAX_SHOWN_PATH) }, 'request failed'),
    broken: (error) => log.error({ err: error }, 'http server failed'),
  });
}

interface Routes {
  readonly pages: ReturnType<typeof createRoutes>;
  readonly triggers: ReturnType<typeof triggerRoutes> | undefined;
}

function routeOf(
  { pages, triggers }: Routes,
  head: RequestHead,
  { isHostAllowed = () => true }: ServerOptions,
): HttpRoute {
  const { method, path, host } = head;
  if (!isHostAllowed(host)) return answering(plain(421, 'this server does not answer for the requested host\n'));
  const trigger = triggers?.(head);
  if (trigger !== undefined) return trigger;
  if (method !== 'GET' && method !== 'HEAD')
    return answering(plain(405, 'only GET and HEAD\n'), { allow: 'GET, HEAD' });
  const route = routeTo(pages, path);
  if (route === undefined) return answering(plain(404, `nothing at ${path.slice(0, MAX_SHOWN_PATH)}\n`));
  return { handle: async ({ query }) => answerOf(await route(query)) };
}

function answering(page: Page, headers?: HttpAnswer['headers']): HttpRoute {
  return { handle: () => answerOf(page, headers) };
}

function plain(status: number, body: string): Page {
  return { status, type: 'text/plain', body };
}

function answerOf({ status, type, body }: Page, headers?: HttpAnswer['headers']): HttpAnswer {
  return {
    status,
    type: `${type}; charset=utf-8`,
    body,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  };
}
