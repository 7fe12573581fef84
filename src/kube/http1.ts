import { Agent, request as httpRequest, type ClientRequest, type ClientRequestArgs } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { errorCode, type HttpConnections, type HttpRequest, type HttpResponse } from './http.ts';

const TCP_KEEP_ALIVE_MS = 15_000;
/** Shorter than the API server's own 90 s, so that it is seldom the server that hangs up. */
const IDLE_SOCKET_MS = 60_000;
const MAX_IDLE_SOCKETS = 16;
/** How a socket ends that the server had already closed when the request was written. */
const STALE_SOCKET_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** Opens a socket, TLS and proxy included. */
export type Connect = () => Promise<Socket>;

/** Kept-alive HTTP/1.1 connections, each opened by `connect`. */
export function createHttp1(server: URL, connect: Connect): HttpConnections {
  const agent = new DialAgent(connect);
  return {
    async send(request, signal) {
      try {
        return await sendOnce(agent, server, { request, signal });
      } catch (error) {
        if (!(error instanceof StaleSocketError) || request.method !== 'GET' || signal.aborted) throw unwrap(error);
      }
      try {
        return await sendOnce(agent, server, { request, signal });
      } catch (error) {
        throw unwrap(error);
      }
    },
    retire: () => agent.retire(),
    close() {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

class StaleSocketError extends Error {}

function unwrap(error: unknown): unknown {
  return error instanceof StaleSocketError ? error.cause : error;
}

interface Sending {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
}

async function sendOnce(agent: Agent, server: URL, { request, signal }: Sending): Promise<HttpResponse> {
  signal.throwIfAborted();
  const { method, path, headers, body } = request;
  const sent = httpRequest({
    agent,
    host: server.hostname,
    port: portOf(server),
    method,
    path,
    headers: {
      host: server.host,
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
  });
  const abort = (): void => {
    sent.destroy();
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await response(sent, body);
  } catch (error) {
    signal.throwIfAborted();
    if (sent.reusedSocket && STALE_SOCKET_CODES.has(errorCode(error))) {
      throw new StaleSocketError('stale socket', { cause: error });
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function response(sent: ClientRequest, body: string | Uint8Array | undefined): Promise<HttpResponse> {
  return new Promise<HttpResponse>((resolve, reject) => {
    sent.once('response', (message) => {
      resolve({
        status: message.statusCode ?? 0,
        headers: message.headers,
        body: message,
        cancel: () => {
          message.destroy();
        },
        isTruncated: () => !message.complete,
      });
    });
    // Stays for the life of the request: a later error reaches the body too, and must not be unhandled here.
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The port of `server`, the scheme's own where it names none. */
export function portOf(server: URL): number {
  if (server.port !== '') return Number(server.port);
  return server.protocol === 'https:' ? 443 : 80;
}

/** Node's agent, with sockets of our own making. */
class DialAgent extends Agent {
  readonly #connect: Connect;
  readonly #open = new Set<Socket>();

  constructor(connect: Connect) {
    super({
      keepAlive: true,
      keepAliveMsecs: TCP_KEEP_ALIVE_MS,
      maxFreeSockets: MAX_IDLE_SOCKETS,
      timeout: IDLE_SOCKET_MS,
      scheduling: 'lifo',
    });
    this.#connect = connect;
  }

  async retire(): Promise<void> {
    this.maxFreeSockets = 0;
    const closed = [...this.#open].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of Object.values(this.freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy();
    await Promise.all(closed);
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const fail = (error: unknown): void => {
      // The agent does not look at the stream of a failure.
      callback?.(error instanceof Error ? error : new Error(String(error)), new Socket());
    };
    const succeed = (socket: Socket): void => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      callback?.(null, socket);
    };
    this.#connect().then(succeed, fail);
  }
}
