import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { eventually } from '../lib/deadline.ts';
import { bodyLength, sendBody } from './answer-body.ts';
import type { Answering, Exchange, HttpAnswer } from './answering.ts';
import { KEEP_ALIVE_MS, MAX_HEADER_BYTES, MAX_HEADERS, type ServerBounds } from './bounds.ts';
import type { Connection, Connections } from './connections.ts';
import { readBody } from './request-body.ts';

const CHECK_LIMITS_EVERY_MS = 1000;
const END_OF_HEADERS = '\r\n\r\n';
/**
 * How long a client may still send a body after the answer, so that it receives the answer before the connection is
 * closed.
 */
const LINGER_MS = 500;
/** How much of an answer that goes on may wait for its client. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** Creates the HTTP/1.1 server, which enforces the bounds. */
export function createHttp1(bounds: ServerBounds, connections: Connections, answering: Answering): Server {
  const { headersLimitMs, maxPending } = bounds;
  const server = createServer({
    headersTimeout: headersLimitMs,
    // Off: bodies have a limit of their own.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(CHECK_LIMITS_EVERY_MS, headersLimitMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.on('connection', (socket) => {
    if (connections.of(socket) === undefined) connections.add(socket);
    limitRequestsPerChunk(socket, bounds);
  });
  server.on('request', (request, response) => {
    const connection = connections.of(request.socket);
    // Node still emits requests that arrived in one chunk with the one that exceeded the limit.
    if (connection === undefined) return;
    const drop = (): void => connections.drop(connection);
    if (connection.pending.size >= maxPending) return drop();
    const gone = answering.answer(exchangeOf(request, response, connection, drop));
    const end = connections.begin(connection, gone);
    response.once('close', () => {
      gone();
      end();
    });
  });
  return server;
}

function exchangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  drop: () => void,
): Exchange {
  const { method = 'GET', url = '/', headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  let isBodyRead = !hasBody;
  return {
    method,
    url,
    host: headers.host,
    headers,
    address: request.socket.remoteAddress,
    hasBody,
    async readBody(limits) {
      const body = await readBody(request, headers['content-length'], limits);
      isBodyRead = true;
      return body;
    },
    skipBody: () => void request.resume(),
    send: (answer) => {
      if (answer.follow !== undefined) void sendOn(response, answer, answer.follow);
      else if (isBodyRead) send(response, answer);
      else sendLast(request, response, answer);
    },
    trust: () => void (connection.isTrusted = true),
    drop,
  };
}

function send(response: ServerResponse, answer: HttpAnswer): void {
  const { status, type, headers } = answer;
  response.writeHead(status, { 'content-type': type, 'content-length': bodyLength(answer), ...headers });
  sendBody(response, answer);
}

/** Sends an answer that goes on until `follow` resolves or the client disconnects. */
async function sendOn(
  response: ServerResponse,
  { status, type, body, headers }: HttpAnswer,
  follow: NonNullable<HttpAnswer['follow']>,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.writeHead(status, { 'content-type': type, ...headers });
  response.write(body);
  const write = (piece: string): boolean => {
    if (response.writableLength > MAX_UNREAD_BYTES) return false;
    response.write(piece);
    return true;
  };
  try {
    await follow({ write, signal: gone.signal });
    response.end();
  } catch {
    response.destroy();
  }
}

/** Sends the last answer of a connection: an unread body follows the request. */
function sendLast(request: IncomingMessage, response: ServerResponse, answer: HttpAnswer): void {
  const { status, type, body, pieces, headers } = answer;
  const length = bodyLength(answer);
  response.writeHead(status, { connection: 'close', 'content-type': type, 'content-length': length, ...headers });
  // An answer with pieces is too long for its client to wait for the end of it before it sends the rest of a body.
  if (pieces !== undefined) return sendBody(response, answer);
  response.write(body);
  const end = (): void => void response.end();
  if (request.complete) end();
  else void passed(request).then(end);
}

/** Discards the rest of a body; resolves at its end, or after `LINGER_MS`. */
async function passed(request: IncomingMessage): Promise<void> {
  await eventually<void>({ limitMs: LINGER_MS, late: () => {} }, ({ resolve }) => {
    request.once('end', resolve).once('close', resolve).resume();
    return undefined;
  });
}

/**
 * Limits the requests in one chunk of data: Node would create all requests of a chunk before it notices that the
 * connection was closed.
 */
function limitRequestsPerChunk(socket: Socket, { maxPending, bodies }: ServerBounds): void {
  const push = socket.push.bind(socket);
  socket.push = (piece: unknown): boolean => {
    if (!(piece instanceof Uint8Array)) return push(piece);
    let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    for (;;) {
      const end = endOfRequests(rest, maxPending);
      if (end === rest.length) return push(rest);
      // A body may contain what looks like the end of headers. If routes read bodies, the requests are counted when
      // Node emits them.
      if (bodies === undefined) socket.destroy();
      else push(rest.subarray(0, end));
      if (socket.destroyed) return false;
      rest = rest.subarray(end);
    }
  };
  // Without a listener, Node would pass the data to the parser directly.
  socket.on('data', () => {});
}

/** Returns the offset after the first `max` requests, or the length of the chunk when it holds no more. */
function endOfRequests(piece: Buffer, max: number): number {
  let end = 0;
  for (let requests = 0; requests < max; requests += 1) {
    const at = piece.indexOf(END_OF_HEADERS, end);
    if (at === -1) return piece.length;
    end = at + END_OF_HEADERS.length;
  }
  return piece.indexOf(END_OF_HEADERS, end) === -1 ? piece.length : end;
}
