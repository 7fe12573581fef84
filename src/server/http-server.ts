import type { Server } from 'node:net';
import { aborted } from '../lib/aborted.ts';
import { eventually } from '../lib/deadline.ts';
import { Answering, type AnsweringOptions } from './answering.ts';
import { Connections } from './connections.ts';
import { createHttp1 } from './http1.ts';
import { listenOnPort, type Port } from './listen-on-port.ts';
import type { TlsOptions } from './tls-server.ts';
import { listenOnSocket } from './unix-socket.ts';

/** Where a server listens, and whether its clients speak TLS. */
export type Listen =
  | ({ readonly type: 'tcp' } & Port)
  | ({ readonly type: 'tls' } & Port & TlsOptions)
  | { readonly type: 'unix'; readonly path: string };

export interface HttpServerOptions extends AnsweringOptions {
  readonly listen: Listen;
  /** Told of an error of the server itself, such as of accepting connections. */
  readonly broken: (error: Error) => void;
}

/** A server for HTTP that no client can fill or hold up. */
export interface HttpServer {
  /** 0 for a unix socket. */
  readonly port: number;
  /** Reads the certificate again, for new connections over TLS. A broken certificate throws, and the one before stays. */
  renew(): void;
  /** Serves until `signal` aborts, then closes. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Ends idle connections at once, gives open answers a moment, then ends the rest; removes the socket file unless
   * another process has put its own there. More than once does no harm.
   */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 500;

/** Listens and answers; rejects with `UsageError` when it cannot listen there, and with what `certificate` throws. */
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
    await closeServer(server, connections);
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

async function closeServer(server: Server, connections: Connections): Promise<void> {
  const late = (): void => connections.destroy();
  await eventually<void>({ limitMs: CLOSE_GRACE_MS, late }, ({ resolve }) => {
    server.close(() => resolve());
    connections.end();
    return undefined;
  });
}
