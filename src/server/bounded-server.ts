import { eventually } from '../lib/deadline.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ServerBounds {
  /** A connection above this takes the place of the one that was silent longest. */
  readonly maxConnections: number;
  /** Requests of one connection that wait for their answers; one more ends the connection. */
  readonly maxPending: number;
  /** From the first byte of a request, or the connection, until its headers are there; then the connection ends. */
  readonly headersLimitMs: number;
  /** From a request until the client has taken its answer; then the connection ends. */
  readonly answerLimitMs: number;
}

/** An HTTP server that no client can fill or hold up. */
export interface BoundedServer {
  readonly server: Server;
  /** Ends idle connections at once, gives open answers a moment, then ends the rest; resolves when all are gone. */
  readonly close: () => Promise<void>;
}

const CHECK_LIMITS_EVERY_MS = 1000;
/** Longer than the usual time between two scrapes, so that they need one connection. */
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 16_384;
const MAX_HEADERS = 100;
const END_OF_HEADERS = '\r\n\r\n';
const CLOSE_GRACE_MS = 500;

/** Creates the server; `handle` gets the requests that are within the bounds, and never throws. */
export function createBoundedServer(
  bounds: ServerBounds,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): BoundedServer {
  const connections = new Connections(bounds);
  const server = createServer({
    headersTimeout: bounds.headersLimitMs,
    requestTimeout: bounds.headersLimitMs,
    connectionsCheckingInterval: Math.min(CHECK_LIMITS_EVERY_MS, bounds.headersLimitMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.on('connection', (socket) => connections.add(socket));
  server.on('request', (request, response) => {
    if (!connections.admit(request.socket, response)) return;
    // A body is of no use here: it is not waited for, and nothing may follow it.
    if (hasBody(request)) response.setHeader('connection', 'close');
    request.resume();
    handle(request, response);
  });
  return { server, close: async () => closeServer(server, connections) };
}

function hasMoreRequests(piece: Uint8Array, max: number): boolean {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  let end = -1;
  for (let requests = 0; requests <= max; requests += 1) {
    end = bytes.indexOf(END_OF_HEADERS, end + 1);
    if (end === -1) return false;
  }
  return true;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

async function closeServer(server: Server, connections: Connections): Promise<void> {
  const late = (): void => connections.destroy();
  await eventually<void>({ limitMs: CLOSE_GRACE_MS, late }, ({ resolve }) => {
    server.close(() => resolve());
    connections.end();
    return undefined;
  });
}

interface Connection {
  /** Requests that have not been answered. */
  pending: number;
  deadline: NodeJS.Timeout | undefined;
}

/** The open connections, and what waits on each. */
class Connections {
  readonly #bounds: ServerBounds;
  /** In the order in which they were heard of last. */
  readonly #open = new Map<Socket, Connection>();
  #isEnding = false;

  constructor(bounds: ServerBounds) {
    this.#bounds = bounds;
  }

  add(socket: Socket): void {
    // A probe comes with a new connection, so the oldest one goes: a client that opens many cannot shut it out.
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= this.#bounds.maxConnections) this.#drop(oldest);
    this.#open.set(socket, { pending: 0, deadline: undefined });
    socket.once('close', () => this.#drop(socket));
    this.#watchPieces(socket);
  }

  /** Of a piece with thousands of requests Node would make every one before it notices that the connection has ended. */
  #watchPieces(socket: Socket): void {
    const push = socket.push.bind(socket);
    socket.push = (piece: unknown): boolean => {
      if (!(piece instanceof Uint8Array) || !hasMoreRequests(piece, this.#bounds.maxPending)) return push(piece);
      this.#drop(socket);
      return false;
    };
    // Without a listener of ours they would go to the parser directly.
    socket.on('data', () => {});
  }

  /** Whether the request is to be answered; the connection of one that is not ends. */
  admit(socket: Socket, response: ServerResponse): boolean {
    const connection = this.#open.get(socket);
    // Requests that came in one piece with the one too many are still handed out.
    if (connection === undefined) return false;
    if (connection.pending >= this.#bounds.maxPending) {
      this.#drop(socket);
      return false;
    }
    this.#open.delete(socket);
    this.#open.set(socket, connection);
    connection.pending += 1;
    connection.deadline ??= setTimeout(() => this.#drop(socket), this.#bounds.answerLimitMs);
    response.once('close', () => this.#answered(socket, connection));
    return true;
  }

  /** Ends those on which nothing waits, and the others when they are answered. */
  end(): void {
    this.#isEnding = true;
    for (const [socket, { pending }] of this.#open) if (pending === 0) this.#drop(socket);
  }

  destroy(): void {
    for (const socket of this.#open.keys()) this.#drop(socket);
  }

  #answered(socket: Socket, connection: Connection): void {
    connection.pending -= 1;
    if (connection.pending > 0) return;
    clearTimeout(connection.deadline);
    connection.deadline = undefined;
    if (this.#isEnding) socket.destroySoon();
  }

  #drop(socket: Socket): void {
    clearTimeout(this.#open.get(socket)?.deadline);
    this.#open.delete(socket);
    socket.destroy();
  }
}
