import {
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';

import { abortable } from './abortable.ts';
import type { HttpConnections, HttpRequest, HttpResponse } from './http.ts';
import { openSession, type SessionOptions } from './http2-session.ts';

/** What the server may allow at most on one connection; a slow one then delays no more than these. */
const MAX_STREAMS_PER_SESSION = 250;

interface PooledSession {
  readonly session: ClientHttp2Session;
  active: number;
}

/** HTTP/2 connections: as many sessions as the streams need, none that is full, closing or dead gets a new one. */
export function createHttp2(options: SessionOptions): HttpConnections {
  const pool = new SessionPool(options);
  return {
    async send(request, signal) {
      for (let attempt = 0; ; attempt++) {
        try {
          return await sendOnce(await pool.acquire(signal), options.server, { request, signal });
        } catch (error) {
          signal.throwIfAborted();
          if (attempt > 0 || !(error instanceof LostStreamError) || !error.isRepeatable(request.method)) throw error;
        }
      }
    },
    retire: () => pool.retire(),
    close: () => pool.close(),
  };
}

class SessionPool {
  readonly #options: SessionOptions;
  readonly #sessions = new Set<PooledSession>();
  #opening: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** A session with room for one more stream, which is counted. */
  async acquire(signal: AbortSignal): Promise<PooledSession> {
    for (;;) {
      signal.throwIfAborted();
      for (const pooled of this.#sessions) {
        if (!hasRoom(pooled)) continue;
        pooled.active += 1;
        return pooled;
      }
      this.#opening ??= this.#open();
      await abortable(this.#opening, signal);
    }
  }

  async retire(): Promise<void> {
    const closed = [...this.#sessions].map(
      ({ session }) => new Promise<void>((resolve) => session.close(() => resolve())),
    );
    await Promise.all(closed);
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    for (const { session } of this.#sessions) session.destroy();
  }

  async #open(): Promise<void> {
    try {
      const pooled: PooledSession = { session: await openSession(this.#options, () => pooled.active), active: 0 };
      this.#sessions.add(pooled);
      pooled.session.once('close', () => {
        this.#sessions.delete(pooled);
      });
    } finally {
      this.#opening = undefined;
    }
  }
}

function hasRoom({ session, active }: PooledSession): boolean {
  if (session.closed || session.destroyed) return false;
  return active < Math.min(session.remoteSettings.maxConcurrentStreams ?? Infinity, MAX_STREAMS_PER_SESSION);
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

  /** A refused stream was not worked on; another one may have been. */
  isRepeatable(method: string): boolean {
    return this.#isRefused || method === 'GET';
  }
}

interface Sending {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
}

async function sendOnce(pooled: PooledSession, server: URL, { request, signal }: Sending): Promise<HttpResponse> {
  const stream = openStream(pooled, server, request);
  const cancel = (): void => {
    if (!stream.destroyed) stream.close(constants.NGHTTP2_CANCEL);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const headers = await responseHeaders(stream, request.body);
    return {
      status: headers[':status'] ?? 0,
      headers,
      body: stream,
      cancel,
      isTruncated: () => stream.rstCode !== constants.NGHTTP2_NO_ERROR,
    };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function openStream(
  pooled: PooledSession,
  server: URL,
  { method, path, headers, body }: HttpRequest,
): ClientHttp2Stream {
  const release = (): void => {
    pooled.active -= 1;
  };
  try {
    const stream = pooled.session.request(
      { ':method': method, ':scheme': 'https', ':authority': server.host, ':path': path, ...headers },
      { endStream: body === undefined },
    );
    stream.once('close', release);
    return stream;
  } catch (error) {
    release();
    throw new LostStreamError('the connection is closing', true, error instanceof Error ? error : undefined);
  }
}

function responseHeaders(stream: ClientHttp2Stream, body: string | Uint8Array | undefined): Promise<ResponseHeaders> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    stream.once('response', resolve);
    // Stays for the life of the stream: a later error reaches the body too, and must not be unhandled here.
    stream.on('error', (error: Error) => {
      failure = error;
    });
    stream.once('close', () => {
      const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      reject(new LostStreamError(failure?.message ?? 'the server hung up', isRefused, failure));
    });
    if (body !== undefined) stream.end(body);
  });
}
