import { KubeError } from '../errors.ts';
import { IdleError, readBody, readWhole, TruncatedError, type ReadOptions } from './body.ts';
import type { KubeClient, KubeRequest, StreamOptions } from './client.ts';
import type { Cluster } from './cluster.ts';
import type { Headers, HttpRequest, HttpResponse } from './http.ts';
import { LineSplitter, LineTooLongError } from './lines.ts';
import { tokenBucket, type RateLimit } from './rate-limit.ts';
import { connectionError, refusalError } from './status-error.ts';
import { createTransport, type Transport } from './transport.ts';
import { urlTemplate } from './url-template.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/** What one request came to, for the metrics. */
export interface RequestReport {
  readonly verb: string;
  /** The path with placeholders for namespace and name. */
  readonly url: string;
  /** HTTP status; `<error>` when there was no response. */
  readonly code: string;
  /** Until the response was read; for a stream until its headers came. */
  readonly seconds: number;
}

export interface KubeClientOptions {
  /** Such as `hooklet/1.0.0`. */
  readonly userAgent: string;
  readonly onRequest?: (report: RequestReport) => void;
  /** Requests a second; without it there is no limit but the server's own. */
  readonly qps?: number | undefined;
  /** How many requests may exceed `qps` for a moment; default twice `qps`. */
  readonly burst?: number | undefined;
  /** Default true: HTTP/2 where the server speaks it over TLS. */
  readonly http2?: boolean | undefined;
  /** HTTP/2: time between pings while streams are open; default 5 s. */
  readonly pingIntervalMs?: number | undefined;
  /** HTTP/2: how long an answer to a ping may take; default 10 s. */
  readonly pingTimeoutMs?: number | undefined;
}

/** The client for one cluster: one pool of connections for everything. */
export function createKubeClient(cluster: Cluster, options: KubeClientOptions): KubeClient {
  const { qps, burst = (qps ?? 0) * 2 } = options;
  const exchange: Exchange = {
    cluster,
    options,
    transport: createTransport({ ...options, server: cluster.server, proxy: cluster.proxy }),
    limit: qps === undefined || qps <= 0 ? undefined : tokenBucket({ perSecond: qps, burst }),
  };
  const bytes = (request: KubeRequest, signal: AbortSignal): Promise<Buffer> =>
    withDeadline(request, signal, async (deadline) => {
      const response = await open(exchange, request, { signal: deadline, reports: 'whole' });
      return response.whole();
    });

  return {
    bytes,
    async request(request, signal) {
      return parse(describe(request), await bytes(request, signal));
    },
    chunks: (request, stream) => readChunks(exchange, request, stream),
    lines: (request, stream) => readLines(exchange, request, stream),
    close: () => exchange.transport.close(),
  };
}

interface Exchange {
  readonly cluster: Cluster;
  readonly options: KubeClientOptions;
  readonly transport: Transport;
  readonly limit: RateLimit | undefined;
}

interface Opened {
  readonly response: HttpResponse;
  /** Reads the rest, and reports the request. */
  whole(): Promise<Buffer>;
}

interface OpenOptions {
  readonly signal: AbortSignal;
  readonly reports: 'headers' | 'whole';
}

function describe({ method, path }: KubeRequest): string {
  return `${method} ${path}`;
}

/** Sends the request and waits for a 2xx; after a 401 once more with fresh credentials. */
async function open(exchange: Exchange, request: KubeRequest, { signal, reports }: OpenOptions): Promise<Opened> {
  const { cluster, options, limit } = exchange;
  const startedAt = performance.now();
  const report = (code: number | string): void => {
    options.onRequest?.({
      verb: request.method,
      url: urlTemplate(request.path),
      code: String(code),
      seconds: (performance.now() - startedAt) / 1000,
    });
  };
  try {
    await limit?.(signal);
    let response = await send(exchange, request, signal);
    if (response.status === 401) {
      await readWhole(response, { signal });
      response = await send(exchange, request, signal);
    }
    if (response.status < 200 || response.status > 299) throw await refusal(request, response, signal);
    if (reports === 'headers') report(response.status);
    return {
      response,
      async whole() {
        try {
          const body = await readWhole(response, { signal });
          report(response.status);
          return body;
        } catch (error) {
          report('<error>');
          throw explain(request, exchange, error);
        }
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    report(error instanceof KubeError && error.status > 0 ? error.status : '<error>');
    throw connectionError(describe(request), cluster.server, error);
  }
}

async function send(
  { cluster, transport, options }: Exchange,
  request: KubeRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const credentials = await cluster.authenticate();
  const response = await transport.send(
    encode(request, options.userAgent, credentials.headers),
    credentials.tls,
    signal,
  );
  if (response.status === 401) cluster.invalidate(credentials);
  return response;
}

function encode(request: KubeRequest, userAgent: string, credentials: Headers): HttpRequest {
  const { method, path, query, body, accept = 'application/json', contentType = 'application/json' } = request;
  const search = query === undefined ? '' : new URLSearchParams({ ...query }).toString();
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers: {
      accept,
      'user-agent': userAgent,
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...credentials,
    },
    ...(body === undefined ? {} : { body }),
  };
}

async function refusal(request: KubeRequest, response: HttpResponse, signal: AbortSignal): Promise<KubeError> {
  const body = await readWhole(response, { signal });
  return refusalError(describe(request), { ...response, body: body.toString('utf8') });
}

function explain(request: KubeRequest, { cluster }: Exchange, error: unknown): Error {
  const what = describe(request);
  if (error instanceof IdleError) {
    return new KubeError(`${what}: nothing came for too long`, { status: 0, reason: 'Idle' }, { cause: error });
  }
  if (error instanceof TruncatedError || error instanceof LineTooLongError) {
    return new KubeError(`${what}: ${error.message}`, { status: 0, reason: 'BrokenStream' }, { cause: error });
  }
  return connectionError(what, cluster.server, error);
}

function parse(what: string, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new KubeError(`${what}: the response is not JSON`, { status: 0, reason: 'BrokenStream' }, { cause: error });
  }
}

async function* readChunks(
  exchange: Exchange,
  request: KubeRequest,
  { signal, idleTimeoutMs, onOpen, onData }: StreamOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { response } = await withDeadline(
    { ...request, timeoutMs: request.timeoutMs ?? idleTimeoutMs },
    signal,
    (deadline) => open(exchange, request, { signal: deadline, reports: 'headers' }),
  );
  onOpen?.();
  const options: ReadOptions = { signal, idleTimeoutMs, ...(onData === undefined ? {} : { onData }) };
  try {
    yield* readBody(response, options);
  } catch (error) {
    signal.throwIfAborted();
    throw explain(request, exchange, error);
  }
}

async function* readLines(
  exchange: Exchange,
  request: KubeRequest,
  options: StreamOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const splitter = new LineSplitter();
  try {
    for await (const chunk of readChunks(exchange, request, options)) yield* splitter.push(chunk);
  } catch (error) {
    throw error instanceof LineTooLongError ? explain(request, exchange, error) : error;
  }
  const rest = splitter.rest();
  if (rest.length === 0) return;
  parse(`${describe(request)}: the stream ended in the middle of a line`, Buffer.from(rest));
  yield rest;
}

/** Runs `work` with a signal that aborts with `signal` and when the request's time is over. */
async function withDeadline<T>(
  request: KubeRequest,
  signal: AbortSignal,
  work: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = request;
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => {
    const failure = { status: 0, reason: 'Timeout' };
    controller.abort(new KubeError(`${describe(request)}: no answer within ${timeoutMs / 1000} s`, failure));
  }, timeoutMs);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
