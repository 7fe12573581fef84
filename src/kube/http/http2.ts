/*
 * HTTP/2 to the API server. `transport.ts` creates one `HttpConnections` per server and TLS options, and sends every
 * request through it; `SessionPool` assigns a session to each request. A request whose stream is lost before its
 * response is sent once more if it is a GET or if the server refused the stream unprocessed. A GET that gets no answer,
 * although its session answers pings, gets a spare request on a newer session; the session of the slower one is marked
 * mute. A wait for headers ends with an answer, with the request's signal, or when the session is lost.
 */

import { constants, type ClientHttp2Stream, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';

import { KubeError } from '../../errors.ts';
import { eventually } from '../../lib/deadline.ts';
import { timedOut, type HttpConnections, type HttpRequest, type HttpResponse } from './http.ts';
import type { SessionOptions, Session } from './http2-session.ts';
import { SessionPool, type Place } from './session-pool.ts';
import { SpareRequests, type Sent } from './spare-requests.ts';

/**
 * Longer than any request waits for its headers. A wait normally ends by its own signal, or when its connection ends.
 */
const HEADERS_LIMIT_MS = 120_000;

/** A GET without an answer for this long, although pings are answered, gets a spare request on another connection. */
const LATE_MS = 10_000;

export interface Http2Options extends SessionOptions {
  /** Default 10 s. */
  readonly lateMs?: number;
}

/**
 * Creates a pool of HTTP/2 sessions: as many as the streams need. A session that is full, late, mute, closing or dead
 * gets no new streams.
 */
export function createHttp2(options: Http2Options): HttpConnections {
  const pool = new SessionPool(options);
  const spares = new SpareRequests(options.lateMs ?? LATE_MS, () => true);
  const sendTwice = async ({ request, signal, newerThanMs, onPlace }: Sending): Promise<HttpResponse> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const place = await (newerThanMs === undefined ? pool.acquire(signal) : pool.acquireNewer(newerThanMs, signal));
        onPlace?.(place.session);
        return await sendOnce(place, options.server, { request, signal });
      } catch (error) {
        signal.throwIfAborted();
        if (attempt > 0 || !(error instanceof LostStreamError) || !error.isRepeatable(request.method)) throw error;
      }
    }
  };
  /** Starts a request; cancelling it means that another one was faster, so its session is marked mute. */
  const start = (request: HttpRequest, signal: AbortSignal, newerThanMs?: number): Sent<HttpResponse> => {
    const overtaken = new AbortController();
    let session: Session | undefined;
    const onPlace = (found: Session): void => {
      session = found;
    };
    const sending = { request, signal: AbortSignal.any([signal, overtaken.signal]), newerThanMs, onPlace };
    return {
      answer: sendTwice(sending),
      cancel: () => {
        overtaken.abort(timedOut('another connection was faster'));
        session?.distrust();
      },
    };
  };
  return {
    async send(request, signal) {
      if (request.method !== 'GET') return sendTwice({ request, signal });
      let triedAtMs: number | undefined;
      return spares.send((isSpare) => {
        const sent = start(request, signal, isSpare ? triedAtMs : undefined);
        triedAtMs = performance.now();
        return sent;
      });
    },
    retire: async () => pool.retire(),
    close: () => pool.close(),
  };
}

type ResponseHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** A stream that ended without a response. */
class LostStreamError extends Error {
  readonly code: string;
  readonly #isRefused: boolean;

  constructor(message: string, isRefused: boolean, cause?: Error) {
    super(message, { cause });
    this.code = 'ECONNRESET';
    this.#isRefused = isRefused;
  }

  /** The server did not process a refused stream; any other stream it may have processed. */
  isRepeatable(method: string): boolean {
    return this.#isRefused || method === 'GET';
  }
}

interface Sending {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  /** Use only a session that was opened after this moment. */
  readonly newerThanMs?: number | undefined;
  /** Called with the session of each attempt. */
  readonly onPlace?: (session: Session) => void;
}

async function sendOnce(place: Place, server: URL, { request, signal }: Sending): Promise<HttpResponse> {
  const { session, release } = place;
  const stream = openStream(place, server, request);
  const cancel = (): void => {
    // Released here and not only on `close`, which the library may never emit.
    release();
    if (!stream.readableEnded && !stream.destroyed) stream.close(constants.NGHTTP2_CANCEL);
  };
  request.onCarried?.(session);
  try {
    const headers = await responseHeaders(stream, session, { request, signal });
    return {
      status: headers[':status'] ?? 0,
      headers,
      body: stream,
      carrier: session,
      cancel,
      done: release,
      isTruncated: () => stream.rstCode !== constants.NGHTTP2_NO_ERROR,
    };
  } catch (error) {
    cancel();
    // The request timed out, and the connection may be the reason.
    if (signal.reason instanceof KubeError) session.distrust();
    throw error;
  }
}

function openStream(
  { session, release }: Place,
  server: URL,
  { method, path, headers, body }: HttpRequest,
): ClientHttp2Stream {
  try {
    const stream = session.http2.request(
      { ':method': method, ':scheme': 'https', ':authority': server.host, ':path': path, ...headers },
      { endStream: body === undefined },
    );
    // This listener stays: a later error also reaches the body, and must not be unhandled here.
    return stream.on('error', () => {}).once('close', release);
  } catch (error) {
    release();
    throw new LostStreamError('the connection is closing', true, error instanceof Error ? error : undefined);
  }
}

async function responseHeaders(
  stream: ClientHttp2Stream,
  { lost }: Session,
  { request: { body }, signal }: Sending,
): Promise<ResponseHeaders> {
  const late = (): never => {
    throw timedOut(`no answer within ${HEADERS_LIMIT_MS / 1000} s`);
  };
  return eventually<ResponseHeaders>({ limitMs: HEADERS_LIMIT_MS, late, signal }, ({ resolve, reject }) => {
    let failure: Error | undefined;
    const fail = (error: Error): void => {
      failure = error;
    };
    const closed = (): void => {
      const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      reject(new LostStreamError(failure?.message ?? 'the server closed the connection', isRefused, failure));
    };
    const gone = (): void => {
      const reason: unknown = lost.reason;
      if (reason instanceof Error) fail(reason);
      closed();
    };
    stream.once('response', resolve).once('error', fail).once('close', closed);
    lost.addEventListener('abort', gone, { once: true });
    if (lost.aborted) gone();
    if (body !== undefined) stream.end(body);
    return () => {
      stream.off('response', resolve).off('error', fail).off('close', closed);
      lost.removeEventListener('abort', gone);
    };
  });
}
