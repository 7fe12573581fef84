/*
 * The HTTP server under metrics, health, webhooks and the control socket: HTTP/1.1 on TCP, TLS or a unix socket, with
 * TLS also HTTP/2. No client can fill it or block it. Connections, pending requests, headers and bodies have the limits
 * of `bounds.ts`; a new connection above the limit replaces the one that has been silent longest, so a probe always
 * gets through; and every request ends within its answer limit, whatever its handler or its client does. Callers open a
 * server, `run` it until the process stops, and may call `close` any number of times.
 */

import type { Server } from 'node:net';
import { aborted } from '../lib/aborted.ts';
import { eventually } from '../lib/deadline.ts';
import { Answering, type AnsweringOptions } from './answering.ts';
import { Connections } from './connections.ts';
import { createHttp1 } from './http1.ts';
import { listenOnPort, type Port } from './listen-on-port.ts';
import type { TlsOptions } from './tls-server.ts';
import { listenOnSocket } from './unix-socket.ts';

/** Where a server listens, and whether it uses TLS. */
export type Listen =
  | ({ readonly type: 'tcp' } & Port)
  | ({ readonly type: 'tls' } & Port & TlsOptions)
  | { readonly type: 'unix'; readonly path: string };

export interface HttpServerOptions extends AnsweringOptions {
  readonly listen: Listen;
  /** Called with an error of the server itself, such as one of accepting connections. */
  readonly broken: (error: Error) => void;
}

/** An open server; see above. */
export interface HttpServer {
  /** The port it listens on; 0 for a unix socket. */
  readonly port: number;
  /**
   * Reads the certificate again, for new TLS connections. Throws for an invalid certificate, and keeps the previous
   * one.
   */
  renew(): void;
  /** Serves until `signal` aborts, then closes. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Closes idle connections at once, gives pending requests the time of the bounds, then closes the rest. Removes the socket file
   * unless another process has replaced it. May be called more than once.
   */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 500;

/** Opens a server; rejects with `UsageError` when it cannot listen, and with what `certificate` throws. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { listen, bounds, broken } = options;
  const connections = new Connections(bounds.maxConnections);
  const answering = new Answering(options);
  const http1 = createHttp1(bounds, connections, answering);
  const { server, renew } =
    listen.type === 'tls'
      ? await (await import('./tls-server.ts')).createTlsServer(listen, { bounds, connections, answering, http1 })
      : { server: http1, renew: () => {} };
  const { port, remove } = await listenOn(server, listen);
  server.on('error', broken);
  const close = async (): Promise<void> => {
    await closeServer(server, connections, bounds.closeGraceMs ?? CLOSE_GRACE_MS);
    await remove();
  };
  return { port, renew, run: async (signal) => aborted(signal).then(close), close };
}

interface Place {
  readonly port: number;
  readonly remove: () => Promise<void>;
}

async function listenOn(server: Server, listen: Listen): Promise<Place> {
  if (listen.type !== 'unix') return { port: await listenOnPort(server, listen), remove: async () => {} };
  const socket = await listenOnSocket(server, listen.path);
  return { port: 0, remove: async () => socket.remove() };
}

async function closeServer(server: Server, connections: Connections, limitMs: number): Promise<void> {
  const late = (): void => connections.destroy();
  await eventually<void>({ limitMs, late }, ({ resolve }) => {
    server.close(() => resolve());
    connections.end();
    return undefined;
  });
}
