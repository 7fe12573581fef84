import { refusalReply, type Api } from './api.ts';
import type { ApiRequest, Reply } from './api-request.ts';
import type { Exchange } from './exchange.ts';
import { answerFaultRequest, FAULTS_PATH } from './fault-control.ts';
import type { Faults } from './faults.ts';
import { sendReply } from './http.ts';
import { respond } from './respond.ts';
import { StatusError } from './status-error.ts';
import { until } from './until.ts';

/** Which requests are served. */
export interface Access {
  /** The only valid bearer token. */
  token: string;
  /** Whether requests without a token are served. */
  readonly anonymous: boolean;
  /** Whether a request with this Host header is served. */
  readonly isHostAllowed: (host: string | undefined) => boolean;
}

/** Answers one request over HTTP, unless a fault prevents it. */
export async function serveExchange(api: Api, faults: Faults, access: Access, exchange: Exchange): Promise<void> {
  const { request, watch } = exchange;
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
  const delay = faults.take(request, watch, 'delay');
  if (delay !== undefined) await pause(exchange, delay.delayMs);
  if (strike(faults, exchange)) return;
  const refusal = faults.take(request, watch, 'status');
  const reply = await refusingLater(() => {
    if (refusal !== undefined) throw faultStatus(refusal.code, refusal.message, refusal.retryAfterSeconds);
    requireToken(access, request);
    const stale = watch ? undefined : faults.take(request, watch, 'staleList');
    return respond(api, stale === undefined ? request : { ...request, staleRevision: Number(stale.resourceVersion) });
  });
  await sendReply(exchange, reply);
  const failure = watch ? faults.take(request, watch, 'watchError') : undefined;
  if (failure !== undefined) exchange.fail(failure.code, failure.message);
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

function requireToken(access: Access, request: ApiRequest): void {
  const authorization = request.headers['authorization'];
  if (authorization === `Bearer ${access.token}`) return;
  // A page in a browser sends an Origin header and must not get access without the token.
  if (access.anonymous && authorization === undefined && request.headers['origin'] === undefined) return;
  throw new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}
