import { KubeError } from '../errors.ts';
import { abortable } from '../lib/abortable.ts';
import { shownName } from '../lib/shown.ts';
import { isApiPath } from './api-path.ts';
import { IdleError, readStart, TooLargeError, TruncatedError } from './http/body.ts';
import type { KubeRequest, RequestComponent } from './client.ts';
import type { Cluster, Credentials } from './credentials/cluster.ts';
import type { HttpRequest, HttpResponse } from './http/http.ts';
import { LineTooLongError } from './http/lines.ts';
import type { RateLimit } from './rate-limit.ts';
import { connectionError, refusalError } from './status-error.ts';
import type { Transport } from './http/transport.ts';
import { urlTemplate } from './url-template.ts';

/** The outcome of one request, for the metrics. */
export interface RequestReport {
  readonly verb: string;
  /** The path with placeholders for namespace and name. */
  readonly url: string;
  readonly component: RequestComponent;
  /** The HTTP status; `<error>` when there was no response. */
  readonly code: string;
  /** Time until the response was read, or for a stream until its headers arrived. */
  readonly seconds: number;
}

/** What all requests of one client share. */
export interface Exchange {
  readonly cluster: Cluster;
  readonly transport: Transport;
  readonly userAgent: string;
  readonly onRequest: ((report: RequestReport) => void) | undefined;
  readonly limit: RateLimit | undefined;
  /** Called with the time that a request waited for `limit`. */
  readonly onLimited: ((report: LimitReport) => void) | undefined;
}

/** How long one request waited for the client-side rate limit. */
export type LimitReport = Omit<RequestReport, 'code' | 'component'>;

const MAX_PATH = 1000;

/** Describes a request in error messages, such as `GET /api/v1/pods`. */
export function describe({ method, path }: KubeRequest): string {
  return `${method} ${shownName(path, MAX_PATH)}`;
}

/** Enough for a Status that lists a cause for every field of an object. */
const MAX_REFUSAL_BYTES = 256 * 1024;

/**
 * Sends the request and waits for the headers of a 2xx response; repeats it once with fresh credentials after a 401.
 * Throws `KubeError` for any other status.
 */
export async function openResponse(
  exchange: Exchange,
  request: KubeRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  requireApiPath(request);
  await waitForLimit(exchange, request, signal);
  let response = await send(exchange, request, signal);
  if (response.status === 401) {
    await readStart(response, { signal }, MAX_REFUSAL_BYTES);
    response = await send(exchange, request, signal);
  }
  const { status, headers } = response;
  if (status >= 200 && status <= 299) {
    const timeMs = Date.parse(headers.date ?? '');
    if (!Number.isNaN(timeMs)) request.onServerTime?.(timeMs);
    return response;
  }
  const body = (await readStart(response, { signal }, MAX_REFUSAL_BYTES)).toString('utf8');
  throw refusalError(describe(request), { status, headers, body, sent: request.body });
}

/** The last check of the path before a request is sent, however the path was built. */
function requireApiPath(request: KubeRequest): void {
  if (isApiPath(request.path)) return;
  throw new KubeError(`${describe(request)}: not sent, a segment of the path is not allowed`, {
    status: 400,
    reason: 'BadRequest',
  });
}

async function waitForLimit({ limit, onLimited }: Exchange, request: KubeRequest, signal: AbortSignal): Promise<void> {
  if (limit === undefined) return;
  const startedAt = performance.now();
  await limit(signal);
  const seconds = (performance.now() - startedAt) / 1000;
  onLimited?.({ verb: request.method, url: urlTemplate(request.path), seconds });
}

/**
 * Runs `work`, reports its outcome, and converts its error with `explain`. An abort by the caller is not reported and
 * is rethrown as it is.
 */
export async function reported<T extends { readonly status: number }>(
  exchange: Exchange,
  request: KubeRequest,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const report = (status: number): void => {
    exchange.onRequest?.({
      verb: request.method,
      url: urlTemplate(request.path),
      component: request.component ?? 'main',
      code: status === 0 ? '<error>' : String(status),
      seconds: (performance.now() - startedAt) / 1000,
    });
  };
  try {
    const result = await work();
    report(result.status);
    return result;
  } catch (error) {
    const isTimeout = signal.reason instanceof KubeError;
    if (signal.aborted && !isTimeout) throw error;
    const failure = explain(exchange, request, isTimeout ? signal.reason : error);
    report(failure instanceof KubeError ? failure.status : 0);
    throw failure;
  }
}

/** Converts the error of a failed request into one of ours. */
export function explain({ cluster }: Exchange, request: KubeRequest, error: unknown): Error {
  const what = describe(request);
  if (error instanceof IdleError) {
    return new KubeError(`${what}: no data for too long`, { status: 0, reason: 'Idle' }, { cause: error });
  }
  if (error instanceof TooLargeError) {
    return new KubeError(`${what}: ${error.message}`, { status: 0, reason: 'TooLarge' }, { cause: error });
  }
  if (error instanceof TruncatedError || error instanceof LineTooLongError) {
    return new KubeError(`${what}: ${error.message}`, { status: 0, reason: 'BrokenStream' }, { cause: error });
  }
  return connectionError(what, cluster.server, error);
}

async function send(exchange: Exchange, request: KubeRequest, signal: AbortSignal): Promise<HttpResponse> {
  const { cluster, transport } = exchange;
  const credentials = await abortable(cluster.authenticate(), signal);
  const response = await transport.send(encode(exchange, request, credentials), credentials.tls, signal);
  if (response.status === 401) cluster.invalidate(credentials);
  return response;
}

function encode({ cluster, userAgent }: Exchange, request: KubeRequest, { headers }: Credentials): HttpRequest {
  const {
    method,
    path,
    query,
    body,
    accept = 'application/json',
    contentType = 'application/json',
    onCarried,
  } = request;
  const search = query === undefined ? '' : new URLSearchParams({ ...query }).toString();
  return {
    method,
    // The URL of a server behind a gateway may have a path prefix.
    path: `${cluster.server.pathname.replace(/\/$/, '')}${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      accept,
      'user-agent': userAgent,
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    onCarried,
  };
}
