import { eventually } from '../lib/deadline.ts';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import { UsageError } from '../errors.ts';
import { aborted } from '../lib/aborted.ts';
import type { Logger } from '../log.ts';
import { createBoundedServer } from './bounded-server.ts';
import type { HealthReport } from './health.ts';
import { createRoutes, type Page, type PageText } from './routes.ts';

const BOUNDS = { maxConnections: 128, maxPending: 8, headersLimitMs: 5000, answerLimitMs: 10_000 };
/** A name of the address may be asked of a DNS server that does not answer. */
const LISTEN_LIMIT_MS = 10_000;
const MAX_TOLD_PATH = 200;

export interface ServerOptions {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly metricsText: () => PageText | Promise<PageText>;
  readonly hookMetricsText: () => PageText | Promise<PageText>;
  /** What /readyz tells. */
  readonly health: () => HealthReport;
  /** What /healthz tells; default: that the process answers. */
  readonly liveness?: () => HealthReport;
  /** Whether a request with this Host header is answered; default: all are. */
  readonly isHostAllowed?: (host: string | undefined) => boolean;
  readonly log: Logger;
}

/** The server for metrics and health; it answers from the moment it is made. */
export interface HttpServer {
  readonly port: number;
  /** Serves until `signal` aborts and the open answers are sent. */
  run(signal: AbortSignal): Promise<void>;
}

/** Listens; rejects with `UsageError` when it cannot. */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const { log } = options;
  const routes = createRoutes(options);
  const { server, close } = createBoundedServer(BOUNDS, (request, response) => {
    answer(routes, request, options).then(
      (page) => send(response, page),
      (error: unknown) => {
        log.error({ err: error, url: request.url?.slice(0, MAX_TOLD_PATH) }, 'request failed');
        send(response, { status: 500, type: 'text/plain', body: 'internal error\n' });
      },
    );
  });
  const port = await listen(server, options);
  server.on('error', (error) => log.error({ err: error }, 'http server failed'));
  return {
    port,
    async run(signal) {
      await aborted(signal);
      await close();
    },
  };
}

type Routes = ReturnType<typeof createRoutes>;

async function answer(
  routes: Routes,
  { method, url = '/', headers: { host } }: IncomingMessage,
  { isHostAllowed = () => true }: ServerOptions,
): Promise<Page> {
  if (!isHostAllowed(host)) return plain(421, 'this is not the host that was asked for\n');
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET and HEAD\n');
  const [path = '/', query = ''] = url.split('?', 2);
  const route = routes.get(path);
  if (route === undefined) return plain(404, `nothing at ${path.slice(0, MAX_TOLD_PATH)}\n`);
  return route(new URLSearchParams(query));
}

function plain(status: number, body: string): Page {
  return { status, type: 'text/plain', body };
}

function send(response: ServerResponse, { status, type, body }: Page): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  });
  response.end(body);
}

async function listen(server: Server, { address, port }: ServerOptions): Promise<number> {
  const where = `${address}:${port}`;
  const late = (): never => {
    server.close();
    throw new UsageError(`cannot listen on ${where}: the name was not resolved within ${LISTEN_LIMIT_MS / 1000} s`);
  };
  await eventually<void>({ limitMs: LISTEN_LIMIT_MS, late }, ({ resolve, reject }) => {
    server.once('error', (error) => reject(listenError(error, where)));
    // As in Go, where it means IPv6 too; a Pod may have no other address.
    server.listen({ host: address === '0.0.0.0' ? undefined : address, port }, () => resolve());
    return () => server.removeAllListeners('error');
  });
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

const LISTEN_PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'another process listens there; stop it, or choose another port with --listen-port'],
  ['EACCES', 'that port is not permitted; choose one above 1023 with --listen-port'],
  ['EADDRNOTAVAIL', 'this machine has no such address; choose another with --listen-address'],
  ['ENOTFOUND', 'there is no such host; give an IP address of this machine with --listen-address'],
]);

function listenError(error: Error, where: string): UsageError {
  const code = 'code' in error ? error.code : undefined;
  return new UsageError(`cannot listen on ${where}: ${LISTEN_PROBLEMS.get(code) ?? error.message}`, { cause: error });
}
