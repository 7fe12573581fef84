import type { Logger } from '../log.ts';
import type { HttpAnswer, HttpRoute, RequestHead } from './answering.ts';
import type { HealthReport } from './health.ts';
import { openHttpServer, type HttpServer } from './http-server.ts';
import { createRoutes, routeTo, type Page, type PageText } from './routes.ts';

const BOUNDS = { maxConnections: 128, maxPending: 8, headersLimitMs: 5000, answerLimitMs: 10_000 };
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
  /** The checks of /healthz; default none, so it is ok while the process answers. */
  readonly liveness?: () => HealthReport;
  /** Whether to answer a request with this Host header; default always. */
  readonly isHostAllowed?: (host: string | undefined) => boolean;
  readonly log: Logger;
}

/** Serves metrics and health; rejects with `UsageError` when it cannot listen. */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const { address, port, log } = options;
  const routes = createRoutes(options);
  return openHttpServer({
    listen: { type: 'tcp', address, port, flags: FLAGS },
    bounds: BOUNDS,
    route: (head) => routeOf(routes, head, options),
    explain: (status, text) => answerOf(plain(status, `${text}\n`)),
    failed: (error, url) => log.error({ err: error, url: url.slice(0, MAX_SHOWN_PATH) }, 'request failed'),
    broken: (error) => log.error({ err: error }, 'http server failed'),
  });
}

type Routes = ReturnType<typeof createRoutes>;

function routeOf(
  routes: Routes,
  { method, path, host }: RequestHead,
  { isHostAllowed = () => true }: ServerOptions,
): HttpRoute {
  if (!isHostAllowed(host)) return answering(plain(421, 'this server does not answer for the requested host\n'));
  if (method !== 'GET' && method !== 'HEAD')
    return answering(plain(405, 'only GET and HEAD\n'), { allow: 'GET, HEAD' });
  const route = routeTo(routes, path);
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
