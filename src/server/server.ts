import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { UsageError } from '../errors.ts';
import { aborted } from '../lib/aborted.ts';
import { eventually } from '../lib/deadline.ts';
import type { Logger } from '../log.ts';
import type { HealthReport } from './health.ts';
import { createRoutes, type Page } from './routes.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the usual time between two scrapes, so that they need one connection. */
const KEEP_ALIVE_MS = 75_000;
const CLOSE_GRACE_MS = 500;
/** A name may have to be resolved. */
const LISTEN_LIMIT_MS = 30_000;

export interface ServerOptions {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly metricsText: () => string | Promise<string>;
  readonly hookMetricsText: () => string | Promise<string>;
  /** What /readyz tells. */
  readonly health: () => HealthReport;
  /** What /healthz tells; default: that the process answers. */
  readonly liveness?: () => HealthReport;
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
  const server = createHttpServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      answer(routes, request).then(
        (page) => send(request, response, page),
        (error: unknown) => {
          log.error({ err: error, url: request.url }, 'request failed');
          send(request, response, { status: 500, type: 'text/plain', body: 'internal error\n' });
        },
      );
    },
  );
  const port = await listen(server, options);
  server.on('error', (error) => log.error({ err: error }, 'http server failed'));
  return {
    port,
    async run(signal) {
      await aborted(signal);
      await close(server);
    },
  };
}

type Routes = ReturnType<typeof createRoutes>;

async function answer(routes: Routes, { method, url = '/' }: IncomingMessage): Promise<Page> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: 'text/plain', body: 'only GET and HEAD\n' };
  const [path = '/', query = ''] = url.split('?', 2);
  const route = routes.get(path);
  if (route === undefined) return { status: 404, type: 'text/plain', body: `nothing at ${path}\n` };
  return route(new URLSearchParams(query));
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body }: Page): void {
  // Nothing here reads a body; without this a sender of one would be stuck.
  request.resume();
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
  const late = (): never => {
    throw new UsageError(`cannot listen on ${address}:${port}: nothing happened within ${LISTEN_LIMIT_MS / 1000} s`);
  };
  await eventually<void>({ limitMs: LISTEN_LIMIT_MS, late }, ({ resolve, reject }) => {
    server.once('error', (error) => reject(listenError(error, `${address}:${port}`)));
    // As in Go, where it means IPv6 too; a Pod may have no other address.
    const host = address === '0.0.0.0' ? undefined : address;
    server.listen({ host, port }, () => {
      server.removeAllListeners('error');
      resolve();
    });
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

async function close(server: Server): Promise<void> {
  const late = (): void => server.closeAllConnections();
  await eventually<void>({ limitMs: CLOSE_GRACE_MS, late }, ({ resolve }) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
