import { isIP } from 'node:net';
import type { DebugView } from '../hook/debug-view.ts';
import { isLocalHost } from '../lib/local-host.ts';
import type { Logger } from '../log.ts';
import type { HttpAnswer, HttpRoute, RequestHead } from './answering.ts';
import { answerDebug, isFromWebPage, MAX_FORM_BYTES } from './debug-routes.ts';
import { openHttpServer, type HttpServer } from './http-server.ts';
import { createProfiles, isProfilePath } from './profiles.ts';

export interface DebugServerOptions {
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly view: DebugView;
  readonly log: Logger;
}

const BOUNDS = {
  maxConnections: 32,
  maxPending: 8,
  headersLimitMs: 5000,
  answerLimitMs: 60_000,
  bodies: { maxBytes: MAX_FORM_BYTES, limitMs: 5000 },
};
const FLAGS = { address: '--debug-http-addr', port: '--debug-http-addr' };

/**
 * Opens the debug API on a port, as `--debug-http-addr` does in shell-operator. Who reaches it may read the snapshots of
 * all hooks, among them Secrets, and set the level of the log; there is no password. On a loopback address it answers
 * nothing that a web page asks. Rejects with `UsageError` when it cannot listen.
 */
export async function createDebugServer({ address, port, view, log }: DebugServerOptions): Promise<HttpServer> {
  const profiles = createProfiles();
  const isLoopback = isLocal(address);
  const route = (head: RequestHead): HttpRoute => {
    if (isLoopback && !isLocalHost(head.host)) return { handle: () => refusal('not for the requested host') };
    if (isFromWebPage(head)) return { handle: () => refusal('not for web pages') };
    if (isProfilePath(head.path)) return { handle: profiles };
    return { maxBodyBytes: MAX_FORM_BYTES, handle: (request) => answerDebug(request, view) };
  };
  const server = await openHttpServer({
    listen: { type: 'tcp', address, port, flags: FLAGS },
    bounds: BOUNDS,
    route,
    explain: (status, text) => ({ status, type: 'text/plain; charset=utf-8', body: `${text}\n` }),
    failed: (error, url) => log.error({ err: error, url: url.slice(0, 200) }, 'request to the debug port failed'),
    broken: (error) => log.error({ err: error }, 'debug port failed'),
  });
  const fields = { address: `${address}:${server.port}` };
  if (isLoopback) log.info(fields, 'serving the debug API');
  else log.warn(fields, 'the debug API is open to everyone who reaches this address, with the snapshots of all hooks');
  return server;
}

function isLocal(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

function refusal(why: string): HttpAnswer {
  return { status: 403, type: 'text/plain; charset=utf-8', body: `${why}\n` };
}
