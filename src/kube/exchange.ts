import { KubeError } from '../errors.ts';
import { abortable } from '../lib/abortable.ts';
import { shownName } from '../lib/shown.ts';
import { isApiPath } from './api-path.ts';
import { IdleError, readStart, TooLargeError, TruncatedError } from './http/body.ts';
import type { KubeRequest } from './client.ts';
import type { Cluster, Credentials } from './credentials/cluster.ts';
import type { HttpRequest, HttpResponse } from './http/http.ts';
import { LineTooLongError } from './http/lines.ts';
import type { RateLimit } from './rate-limit.ts';
import { connectionError, refusalError } from './status-error.ts';
import type { Transport } from './http/transport.ts';
import { urlTemplate } from './url-template.ts';

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

/** What the requests of one client have in common. */
export interface Exchange {
  readonly cluster: Cluster;
  readonly transport: Transport;
  readonly userAgent: string;
  readonly onRequest: ((report: RequestReport) => void) | undefined;
  readonly limit: RateLimit | undefined;
  /** Told how long a request waited for `limit`. */
  readonly onLimited: ((report: LimitReport) => void) | undefined;
}

/** How long one request waited for the client's own limit. */
export type LimitReport = Omit<RequestReport, 'code'>;

const MAX_PATH = 1000;

/** A request in the words of an error message. */
export function describe({ method, path }: KubeRequest): string {
  return `${method} ${shownName(path, MAX_PATH)}`;
}

/** What a Status has, with the causes of an object that is wrong in every field. */
const MAX_REFUSAL_BYTES = 256 * 1024;

/** Sends the request and waits for the headers of a 2xx response; after a 401 once more with fresh credentials. */
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
  if (status >= 200 && status <= 299) return response;
  const body = (await readStart(response, { signal }, MAX_REFUSAL_BYTES)).toString('utf8');
  throw refusalError(describe(request), { status, headers, body });
}

/** The last look at where a request goes, whoever made its path. */
function requireApiPath(request: KubeRequest): void {
  if (isApiPath(request.path)) return;
  throw new KubeError(`${describe(request)}: not sent, a part of the path leads elsewhere`, {
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

/** Reports what `work` came to, and explains its failure; an abort by the caller is neither. */
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

/** The error of ours for whatever went wrong with a request. */
export function explain({ cluster }: Exchange, request: KubeRequest, error: unknown): Error {
  const what = describe(request);
  if (error instanceof IdleError) {
    return new KubeError(`${what}: nothing came for too long`, { status: 0, reason: 'Idle' }, { cause: error });
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
    // The address of a server behind a gateway has a path of its own.
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
