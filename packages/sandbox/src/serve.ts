import { refusalReply, type Api } from './api.ts';
import type { ApiRequest, Reply } from './api-request.ts';
import type { Exchange } from './exchange.ts';
import { answerFaultRequest, FAULTS_PATH } from './fault-control.ts';
import type { Faults } from './faults.ts';
import { sendReply } from './http.ts';
import type { JsonObject } from './json.ts';
import { respond } from './respond.ts';
import { StatusError } from './status-error.ts';
import type { Tapped, TappedEvent, Taps } from './taps.ts';
import { until } from './until.ts';

/** Which requests are served. */
export interface Access {
  /** The only valid bearer token. */
  token: string;
  /** Names who has another token; undefined for one that is not valid. */
  readonly callerOf?: ((token: string) => string | undefined) | undefined;
  /** What sees each request that is let in. */
  readonly taps: Taps;
  /** Whether requests without a token are served. */
  readonly anonymous: boolean;
  /** Whether a request with this Host header is served. */
  readonly isHostAllowed: (host: string | undefined) => boolean;
}

/** Answers one request over HTTP, unless a fault prevents it. */
export async function serveExchange(api: Api, faults: Faults, access: Access, exchange: Exchange): Promise<void> {
  const { watch } = exchange;
  const request = called(access, exchange.request);
  if (!access.isHostAllowed(request.headers['host'])) {
    await sendReply(exchange, refusing(refuseHost));
    return;
  }
  if (request.path === FAULTS_PATH) {
    const controlled = refusing(() => {
      requireToken(access, request);
      return answerFaultRequest(faults, request);
    });
    await sendReply(exchange, controlled);
    return;
  }
  const tapped = tapRequest(access, exchange, request);
  if (await struck(faults, exchange, request.caller)) return;
  const reply = await reacted(api, { access, faults, request, watch, tapped });
  if (tapped?.isAnswerLost === true) exchange.destroy();
  else await sendReply(exchange, reply);
  tapped?.answered?.(exchange.code);
  const failure = watch ? faults.take(request, watch, 'watchError') : undefined;
  if (failure !== undefined) exchange.fail(failure.code, failure.message);
}

interface Reacting {
  readonly access: Access;
  readonly faults: Faults;
  readonly request: ApiRequest;
  readonly watch: boolean;
  readonly tapped: Tapped | undefined;
}

interface Refusal {
  readonly code: number | undefined;
  readonly message?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The reply to a request, or the refusal that a fault or a tap asks for. */
async function reacted(api: Api, { access, faults, request, watch, tapped = {} }: Reacting): Promise<Reply> {
  const fault: Refusal = faults.take(request, watch, 'status') ?? { code: tapped.refuse };
  return refusingLater(() => {
    const { code } = fault;
    if (code !== undefined) {
      api.observer?.refused(request, code);
      throw faultStatus(code, fault.message, fault.retryAfterSeconds);
    }
    // A caller may have lost its token since the request came.
    requireToken(access, called(access, request));
    const stale = watch ? undefined : (faults.take(request, watch, 'staleList')?.resourceVersion ?? tapped.staleAt);
    return respond(api, stale === undefined ? request : { ...request, staleRevision: Number(stale) });
  });
}

function withoutCaller({ method, path, query, headers, body }: ApiRequest): ApiRequest {
  return { method, path, query, headers, body };
}

/** The request with who makes it. */
function called({ token, callerOf }: Access, asked: ApiRequest): ApiRequest {
  const request = withoutCaller(asked);
  const given = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
  if (given === undefined || given === token) return request;
  const caller = callerOf?.(given);
  return caller === undefined ? request : { ...request, caller };
}

/** Lets the taps see a request, and the events of a watch. */
function tapRequest(access: Access, exchange: Exchange, request: ApiRequest): Tapped | undefined {
  const { taps } = access;
  if (!isLetIn(access, request)) return undefined;
  const { caller = '', method, path, query } = request;
  const { onEvent } = taps;
  if (exchange.watch && onEvent !== undefined) {
    exchange.tap = (line, send) => {
      const event: { readonly type: TappedEvent['type'] | 'ERROR'; readonly object: JsonObject } = JSON.parse(
        String(line),
      );
      if (event.type === 'ERROR') send();
      else onEvent({ caller, type: event.type, object: event.object, send });
    };
  }
  const search = query.toString();
  return taps.onRequest?.({
    caller,
    method,
    path: search === '' ? path : `${path}?${search}`,
    isWatch: exchange.watch,
  });
}

function refusing(answerNow: () => Reply): Reply {
  try {
    return answerNow();
  } catch (error) {
    return refusalReply(error);
  }
}

async function refusingLater(answerLater: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await answerLater();
  } catch (error) {
    return refusalReply(error);
  }
}

/** As `strike`, after the delay that a fault asks for. */
async function struck(faults: Faults, exchange: Exchange, caller = ''): Promise<boolean> {
  const delay = faults.take(exchange.request, exchange.watch, 'delay');
  if (delay !== undefined) {
    exchange.delayed = caller;
    await pause(exchange, delay.delayMs);
    exchange.delayed = undefined;
  }
  return strike(faults, exchange);
}

/** Applies faults of the connection; returns true if the connection is closed, so that nothing is left to answer. */
function strike(faults: Faults, exchange: Exchange): boolean {
  const { request, watch } = exchange;
  if (faults.take(request, watch, 'silence') !== undefined) exchange.silence();
  const hangUp = faults.take(request, watch, 'hangUp');
  if (hangUp !== undefined && hangUp.afterBytes === undefined) exchange.destroy();
  else if (hangUp?.afterBytes !== undefined) exchange.limit(hangUp.afterBytes, 'hangUp');
  const truncate = faults.take(request, watch, 'truncate');
  if (truncate !== undefined) exchange.limit(truncate.afterBytes, 'end');
  return exchange.closed;
}

async function pause(exchange: Exchange, delayMs: number): Promise<void> {
  await until(delayMs, (done) => {
    exchange.onClose(done);
    return () => {};
  });
}

const REASONS: { readonly [code: number]: string } = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function faultStatus(code: number, message: string | undefined, retryAfterSeconds: number | undefined): StatusError {
  const reason = REASONS[code];
  return new StatusError({
    code,
    message: message ?? (reason === 'Unauthorized' ? 'Unauthorized' : `a fault was asked for: ${code}`),
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/**
 * Protects against DNS rebinding: a page in a browser can make its own host name resolve to this machine, and not every
 * request needs a token.
 */
function refuseHost(): Reply {
  const message = 'this is not the host that was asked for: use localhost or 127.0.0.1';
  throw new StatusError({ code: 421, reason: 'MisdirectedRequest', message });
}

function isLetIn(access: Access, { headers, caller }: ApiRequest): boolean {
  const authorization = headers['authorization'];
  if (authorization === `Bearer ${access.token}` || caller !== undefined) return true;
  // A page in a browser sends an Origin header and must not get access without the token.
  return access.anonymous && authorization === undefined && headers['origin'] === undefined;
}

function requireToken(access: Access, request: ApiRequest): void {
  if (isLetIn(access, request)) return;
  throw new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}
