import type { Logger } from '../../log.ts';
import { openHttpServer, type HttpServer } from '../http-server.ts';
import { plainAnswer } from './answers.ts';
import { MAX_FORM_BYTES } from './form.ts';
import { PageRoutes, type PageRouteOptions } from './page-routes.ts';

export interface PageServerOptions extends PageRouteOptions {
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log: Logger;
}

// With its streams, a browser has at most a few connections.
const BOUNDS = {
  maxConnections: 128,
  maxPending: 8,
  headersLimitMs: 5000,
  answerLimitMs: 30_000,
  maxConcurrent: 32,
  bodies: { maxBytes: MAX_FORM_BYTES, limitMs: 5000 },
};
const FLAGS = { address: '--ui-address', port: '--ui-port' };
const MAX_SHOWN_URL = 200;

export interface PageServer extends Pick<HttpServer, 'port' | 'run' | 'close'> {
  /** How many pages are followed now. */
  readonly followed: () => number;
}

/** Serves the page until `run` is aborted or `close` is called; rejects with `UsageError` when it cannot listen. */
export async function createPageServer(options: PageServerOptions): Promise<PageServer> {
  const { address, port, log } = options;
  const routes = new PageRoutes(options);
  const server = await openHttpServer({
    listen: { type: 'tcp', address, port, flags: FLAGS },
    bounds: BOUNDS,
    route: routes.route,
    explain: (status, text) => plainAnswer(status, text),
    failed: (error, url) => log.error({ err: error, url: url.slice(0, MAX_SHOWN_URL) }, 'request to the page failed'),
    broken: (error) => log.error({ err: error }, 'the server of the page failed'),
  });
  return {
    port: server.port,
    followed: () => routes.streams.size,
    run: async (signal) => {
      signal.addEventListener('abort', () => routes.streams.end(), { once: true });
      await server.run(signal);
    },
    close: async () => {
      routes.streams.end();
      await server.close();
    },
  };
}
