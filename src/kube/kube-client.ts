import { KubeError } from '../errors.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import { readBody, readWhole, type ReadOptions } from './http/body.ts';
import type { KubeClient, KubeRequest, StreamOptions } from './client.ts';
import type { Cluster } from './credentials/cluster.ts';
import {
  describe,
  explain,
  openResponse,
  reported,
  type Exchange,
  type LimitReport,
  type RequestReport,
} from './exchange.ts';
import { withLastLine } from './http/last-line.ts';
import { LineSplitter, LineTooLongError } from './http/lines.ts';
import { tokenBucket } from './rate-limit.ts';
import type { PulseTimes } from './http/pulse.ts';
import { createTransport, type Transport } from './http/transport.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

export interface KubeClientOptions {
  /** Such as `hooklet/1.0.0`. */
  readonly userAgent: string;
  /** Called once for each request with its outcome; not for a request that the caller aborted. */
  readonly onRequest?: (report: RequestReport) => void;
  /** Requests per second; without it the server sets the only limit. */
  readonly qps?: number | undefined;
  /** Called with the time that each request waited for that limit. */
  readonly onLimited?: (report: LimitReport) => void;
  /** How many requests may exceed `qps` in a burst; default twice `qps`. */
  readonly burst?: number | undefined;
  /** Default true: use HTTP/2 if the server offers it over TLS. */
  readonly http2?: boolean | undefined;
  /** When an HTTP/2 connection is pinged, doubted and given up; default `PULSE_TIMES`. */
  readonly pulseTimes?: PulseTimes | undefined;
  /** Called when all connections were discarded and replaced after an unexplained silence of `silentMs`. */
  readonly onReplaced?: ((silentMs: number) => void) | undefined;
}

/** Creates the client for one cluster; all its requests share one pool of connections. */
export function createKubeClient(cluster: Cluster, options: KubeClientOptions): KubeClient {
  const { userAgent, onRequest, onLimited, onReplaced, qps, burst = (qps ?? 0) * 2 } = options;
  const create = (): Transport => createTransport({ ...options, server: cluster.server, proxy: cluster.proxy });
  const transport = cluster.transport ?? withLastLine({ create, onReplaced });
  const limit = qps === undefined || qps <= 0 ? undefined : tokenBucket({ perSecond: qps, burst });
  const exchange: Exchange = { cluster, transport, userAgent, onRequest, limit, onLimited };
  return {
    bytes: (request, signal) => readBytes(exchange, request, signal),
    request: async (request, signal) => {
      const body = await readBytes(exchange, request, signal);
      return parse(describe(request), body, request.isExact);
    },
    chunks: (request, stream) => readChunks(exchange, request, stream),
    lines: (request, stream) => readLines(exchange, request, stream),
    close: async () => transport.close(),
  };
}

async function readBytes(exchange: Exchange, request: KubeRequest, signal: AbortSignal): Promise<Buffer> {
  const { maxBytes } = request;
  const { body } = await withDeadline(request, signal, (deadline) =>
    reported(exchange, request, deadline, async () => {
      const response = await openResponse(exchange, request, deadline);
      return { status: response.status, body: await readWhole(response, { signal: deadline, maxBytes }) };
    }),
  );
  return body;
}

async function* readChunks(
  exchange: Exchange,
  request: KubeRequest,
  { signal, idleTimeoutMs, onOpen, onData, isLines = false }: StreamOptions & Pick<ReadOptions, 'isLines'>,
): AsyncGenerator<Uint8Array, void, void> {
  // The timeout covers only the headers.
  const response = await withDeadline(request, signal, (deadline) =>
    reported(exchange, request, deadline, () => openResponse(exchange, request, deadline)),
  );
  onOpen?.();
  const options: ReadOptions = { signal, idleTimeoutMs, isLines, ...(onData === undefined ? {} : { onData }) };
  try {
    yield* readBody(response, options);
  } catch (error) {
    signal.throwIfAborted();
    throw explain(exchange, request, error);
  }
}

async function* readLines(
  exchange: Exchange,
  request: KubeRequest,
  options: StreamOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const splitter = new LineSplitter({ isDropped: options.isDropped });
  try {
    for await (const chunk of readChunks(exchange, request, { ...options, isLines: true })) yield* splitter.push(chunk);
  } catch (error) {
    throw error instanceof LineTooLongError ? explain(exchange, request, error) : error;
  }
  const rest = splitter.rest();
  if (rest.length === 0) return;
  parse(`${describe(request)}: the stream ended in the middle of a line`, rest);
  yield rest;
}

function parse(what: string, body: Uint8Array, isExact = false): unknown {
  if (body.length === 0) return undefined;
  try {
    const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
    return isExact ? parseExactJson(text) : JSON.parse(text);
  } catch (error) {
    throw new KubeError(`${what}: the response is not JSON`, { status: 0, reason: 'BrokenStream' }, { cause: error });
  }
}

/** Runs `work` with a signal that aborts with `signal`, and when the request's timeout is over. */
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
