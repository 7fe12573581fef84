import {
  constants,
  performServerHandshake,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { bodyLength, sendBody } from './answer-body.ts';
import type { Answering, Exchange } from './answering.ts';
import { KEEP_ALIVE_MS, MAX_HEADER_BYTES, MAX_HEADERS, type ServerBounds } from './bounds.ts';
import type { Connection, Connections } from './connections.ts';
import { readBody } from './request-body.ts';

/** The parts of the server that an HTTP/2 connection uses. */
export interface Http2Parts {
  readonly bounds: ServerBounds;
  readonly connections: Connections;
  readonly answering: Answering;
}

/** Serves a connection with HTTP/2. */
export function serveHttp2(connection: Connection, { bounds, connections, answering }: Http2Parts): void {
  const session = performServerHandshake(connection.socket, {
    maxHeaderListPairs: MAX_HEADERS,
    settings: { maxConcurrentStreams: bounds.maxPending, maxHeaderListSize: MAX_HEADER_BYTES },
  });
  connection.session = session;
  // The connection ends with the session; nothing else must be done.
  session.on('error', () => {});
  // Destroying only the session would wait until the client has read what was sent.
  const drop = (): void => connections.drop(connection);
  const trust = (): void => {
    if (connection.isTrusted || session.destroyed) return;
    connection.isTrusted = true;
    session.settings({ maxConcurrentStreams: maxPendingOf(connection, bounds) });
  };
  const idle = limitIdling(session, drop, bounds.headersLimitMs);
  const sent = limitReading(session, drop, bounds.answerLimitMs);
  idle.start(bounds.headersLimitMs);
  session.on('stream', (stream, headers, _flags, rawHeaders) => {
    // `close` follows; a stream also fails when the client disconnects.
    stream.on('error', () => {});
    if (stream.destroyed || stream.closed) return;
    if (connection.pending.size >= maxPendingOf(connection, bounds))
      return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    if (isTooLong(rawHeaders)) return refuse(stream);
    idle.stop();
    const gone = answering.answer(exchangeOf(stream, headers, { drop, trust }));
    const end = connections.begin(connection, gone);
    stream.once('close', () => {
      gone();
      end();
      if (connection.pending.size > 0 || session.destroyed) return;
      idle.start(KEEP_ALIVE_MS);
      sent();
    });
  });
}

function maxPendingOf({ isTrusted }: Connection, { maxPending, maxPendingTrusted = maxPending }: ServerBounds): number {
  return isTrusted ? maxPendingTrusted : maxPending;
}

interface SessionActions {
  readonly drop: () => void;
  readonly trust: () => void;
}

function exchangeOf(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, session: SessionActions): Exchange {
  const { ':method': method = 'GET', ':path': url = '/', ':authority': host = headers.host } = headers;
  const hasBody = !stream.endAfterHeaders;
  let isBodyRead = !hasBody;
  let isAnswered = false;
  return {
    method,
    url,
    host,
    headers,
    address: stream.session?.socket.remoteAddress,
    hasBody,
    async readBody(limits) {
      const body = await readBody(stream, headers['content-length'], limits);
      isBodyRead = true;
      return body;
    },
    skipBody: () => void stream.resume(),
    send(answer) {
      if (stream.destroyed || stream.closed) return;
      const { status, type, headers: more } = answer;
      stream.respond({ ':status': status, 'content-type': type, 'content-length': bodyLength(answer), ...more });
      isAnswered = true;
      if (method === 'HEAD') stream.end();
      else sendBody(stream, answer);
      if (isBodyRead) return;
      stream.resume();
      const close = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
      // Pieces are sent later, and closing the stream would end it without them.
      if (answer.pieces === undefined) close();
      else stream.once('finish', close);
    },
    trust: session.trust,
    // A client that does not read one answer reads no other, so the session ends; without an answer only this request
    // ends.
    drop: () => void (isAnswered ? session.drop() : stream.destroy(new Error('not answered'))),
  };
}

/** Checked here, because Node enforces the settings of the session only after the client has acknowledged them. */
function isTooLong(rawHeaders: readonly string[]): boolean {
  return rawHeaders.reduce((length, text) => length + text.length, 0) > MAX_HEADER_BYTES;
}

function refuse(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': constants.HTTP_STATUS_REQUEST_HEADER_FIELDS_TOO_LARGE }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

interface IdleLimit {
  readonly start: (limitMs: number) => void;
  readonly stop: () => void;
}

/** Ends a session that has no requests for too long. */
function limitIdling(session: ServerHttp2Session, drop: () => void, graceMs: number): IdleLimit {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  const start = (limitMs: number): void => {
    timer = setTimeout(() => {
      timer = setTimeout(drop, graceMs);
      session.close();
    }, limitMs);
  };
  session.once('close', stop);
  return { start, stop };
}

/**
 * Ends a session whose client does not read: answers may still wait in the socket after they were sent. Call the
 * returned function when answers were sent; it sends a ping, and a client that has read the answers acknowledges it.
 */
function limitReading(session: ServerHttp2Session, drop: () => void, limitMs: number): () => void {
  let state: 'read' | 'asked' | 'asked too soon' = 'read';
  let limit: NodeJS.Timeout | undefined;
  session.once('close', () => clearTimeout(limit));
  const ask = (): void => {
    state = 'asked';
    limit = setTimeout(drop, limitMs);
    session.ping((error) => {
      clearTimeout(limit);
      const isRead = state === 'asked';
      state = 'read';
      if (!isRead && error === null) ask();
    });
  };
  return () => {
    if (state === 'read') ask();
    else state = 'asked too soon';
  };
}
