/*
 * HTTP/1.1 to the API server. `transport.ts` creates one `HttpConnections` per server and TLS options, and sends every
 * request through it. Three guards work here, because HTTP/1.1 has no pings: a GET on a kept-alive socket that the
 * server had already closed is sent once more; a GET that gets no answer while probes do gets a spare request on a new
 * connection; and `PathWatch` ends all connections of a broken network path. Only a GET is ever sent twice. A wait for
 * headers ends with an answer, with the request's signal, or when the connection is lost.
 */

import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { eventually } from '../../lib/deadline.ts';
import { DialAgent, type Connect } from './dial-agent.ts';
import { errorCode, portOf, timedOut, type Carrier, type HttpConnections } from './http.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { PathWatch } from './path-watch.ts';
import { SpareRequests, type Sent } from './spare-requests.ts';

/**
 * Longer than any request waits for its headers. A wait normally ends by its own signal, or when its connection ends.
 */
const HEADERS_LIMIT_MS = 120_000;
/** A GET without an answer for this long, while probes are answered, gets a spare request beside it. */
const LATE_MS = 2000;
/** The errors of a kept-alive socket that the server had closed before the request was written. */
const STALE_SOCKET_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** Creates a pool of kept-alive HTTP/1.1 connections, each opened by `connect`. */
export function createHttp1(server: URL, connect: Connect): HttpConnections {
  return new Http1Connections(server, connect);
}

class StaleSocketError extends Error {}

function rethrowUnwrapped(error: unknown): never {
  throw unwrap(error);
}

function unwrap(error: unknown): unknown {
  return error instanceof StaleSocketError ? error.cause : error;
}

interface Sending {
  readonly agent: DialAgent;
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  /** Whether the request gets a new connection of its own. */
  readonly isSpare?: boolean;
  /** Called with the request of each attempt. */
  readonly onAttempt?: (sent: ClientRequest) => void;
}

class Http1Connections implements HttpConnections {
  readonly #server: URL;
  readonly #agent: DialAgent;
  readonly #path: PathWatch<DialAgent>;
  readonly #spares: SpareRequests;

  constructor(server: URL, connect: Connect) {
    this.#server = server;
    this.#agent = new DialAgent(connect);
    this.#path = new PathWatch({
      agent: this.#agent,
      createAgent: () => new DialAgent(connect, 1),
      probe: async (agent, headers, signal) => this.#probe(agent, headers, signal),
    });
    this.#spares = new SpareRequests(LATE_MS, (ms) => this.#path.healthyAtMs > ms);
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    this.#path.used(request.headers);
    const sending = { agent: this.#agent, request, signal };
    if (request.method !== 'GET') return this.#sendOnce(sending).catch(rethrowUnwrapped);
    return this.#spares.send((isSpare) => this.#start({ ...sending, isSpare }));
  }

  async retire(): Promise<void> {
    await this.#agent.retire();
  }

  close(): void {
    this.#path.end();
    this.#agent.end(new Error('the client is closed'));
  }

  /** Starts a request that may be sent twice. */
  #start(sending: Sending): Sent<HttpResponse> {
    let last: ClientRequest | undefined;
    const onAttempt = (sent: ClientRequest): void => {
      last = sent;
    };
    return { answer: this.#sendTwice({ ...sending, onAttempt }), cancel: () => last?.destroy() };
  }

  async #sendTwice(sending: Sending): Promise<HttpResponse> {
    try {
      return await this.#sendOnce(sending);
    } catch (error) {
      if (!(error instanceof StaleSocketError) || sending.signal.aborted) throw unwrap(error);
    }
    return this.#sendOnce(sending).catch(rethrowUnwrapped);
  }

  /** Any response proves that the path works, an error status too. */
  async #probe(agent: DialAgent, { authorization }: HttpRequest['headers'], signal: AbortSignal): Promise<void> {
    const path = `${this.#server.pathname.replace(/\/$/, '')}/version`;
    const headers = authorization === undefined ? {} : { authorization };
    const { body } = await this.#sendOnce({ agent, request: { method: 'GET', path, headers }, signal });
    body.on('error', () => {}).resume();
  }

  async #sendOnce({ agent, request, signal, isSpare = false, onAttempt }: Sending): Promise<HttpResponse> {
    signal.throwIfAborted();
    const { method, path, headers, body } = request;
    const options = {
      agent,
      host: this.#server.hostname,
      port: portOf(this.#server),
      method,
      path,
      headers: {
        host: this.#server.host,
        ...headers,
        ...(isSpare ? { connection: 'close' } : {}),
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
      isSpare,
    };
    const sent = httpRequest(options);
    onAttempt?.(sent);
    // This listener stays: a later error also reaches the body, and must not be unhandled here.
    sent.on('error', () => {});
    try {
      return await this.#response(sent, { agent, request, signal });
    } catch (error) {
      sent.destroy();
      signal.throwIfAborted();
      if (sent.reusedSocket && STALE_SOCKET_CODES.has(errorCode(error))) {
        throw new StaleSocketError('stale socket', { cause: error });
      }
      throw error;
    }
  }

  async #response(sent: ClientRequest, { agent, request, signal }: Sending): Promise<HttpResponse> {
    let carrier: Carrier = { silentForMs: () => 0, lost: signal, isPinged: false };
    const late = (): never => {
      throw timedOut(`no answer within ${HEADERS_LIMIT_MS / 1000} s`);
    };
    return eventually<HttpResponse>({ limitMs: HEADERS_LIMIT_MS, late, signal }, ({ resolve, reject }) => {
      const gone = (): void => reject(carrier.lost.reason);
      sent.once('socket', (socket: Socket) => {
        const line = agent.lineOf(socket);
        if (line === undefined) return;
        carrier = line;
        // Connecting may have taken so long that the path watch stopped for lack of busy connections.
        if (agent === this.#agent) this.#path.used(request.headers);
        carrier.lost.addEventListener('abort', gone, { once: true });
        request.onCarried?.(carrier);
      });
      sent.once('response', (message: IncomingMessage) => resolve(responseOf(message, carrier)));
      sent.once('error', reject);
      sent.end(request.body);
      return () => carrier.lost.removeEventListener('abort', gone);
    });
  }
}

function responseOf(message: IncomingMessage, carrier: Carrier): HttpResponse {
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    body: message,
    carrier,
    cancel: () => {
      if (!message.readableEnded) message.destroy();
    },
    isTruncated: () => !message.complete,
  };
}
