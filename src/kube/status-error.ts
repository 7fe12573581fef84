import type { IncomingHttpHeaders } from 'node:http';

import { CredentialsError, HookletError, KubeError, ResourceExpiredError, type Issue } from '../errors.ts';
import { shown, shownName, shownText } from '../lib/shown.ts';
import { isObject } from '../lib/json-object.ts';
import { errorCode } from './http/http.ts';
import { missingRight } from './missing-right.ts';

/** A response with a status that is not 2xx. */
export interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body of the request. */
  readonly sent?: string | Uint8Array | undefined;
}

/** Returns the error for a response that is not 2xx; `what` names the request, such as `GET /api/v1/pods`. */
export function refusalError(what: string, { status, headers, body, sent }: Refusal): KubeError {
  const described = readStatus(parseJson(body));
  const retryAfterMs = retryAfter(headers['retry-after'], described.retryAfterSeconds);
  const said = described.message === '' ? plainText(body) : described.message;
  const { reason, issues } = described;
  return kubeError(what, { status, reason, said, retryAfterMs, issues, sent });
}

/** Returns the error for a `Status` object in a watch. */
export function statusObjectError(what: string, value: unknown): KubeError {
  const { reason, message, retryAfterSeconds, issues } = readStatus(value);
  const code = isObject(value) ? errorCodeOf(value['code']) : 500;
  const status = reason === 'Expired' || reason === 'Gone' ? 410 : code;
  const said = message === '' ? shown(value) : message;
  return kubeError(what, { status, reason, said, retryAfterMs: retryAfter(undefined, retryAfterSeconds), issues });
}

interface Said {
  readonly status: number;
  readonly reason: string;
  readonly said: string;
  readonly retryAfterMs: number | undefined;
  readonly issues: readonly Issue[];
  readonly sent?: string | Uint8Array | undefined;
}

function kubeError(what: string, { status, reason, said: text, retryAfterMs, issues, sent }: Said): KubeError {
  const said = withoutValue(text);
  const failure = {
    // It answers 500 to an applied object that its schema does not allow, as if it were at fault itself.
    status: status === 500 && said.includes('failed to create typed patch object') ? 422 : status,
    reason: reason === '' && status === 410 ? 'Expired' : reason,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    issues,
  };
  const right = status === 403 ? missingRight(said, sent) : '';
  const message = `${what}: ${status}${said === '' ? '' : ` ${shownText(said)}`}${right}`;
  return status === 410 ? new ResourceExpiredError(message, failure) : new KubeError(message, failure);
}

/**
 * A message of the API server without the value of an applied object that has the wrong type: it may be of a Secret, and
 * messages get into the status of objects.
 */
function withoutValue(said: string): string {
  const at = said.indexOf(VALUE);
  return at === -1 ? said : `${said.slice(0, at)}another type`;
}

const VALUE = '&value.valueUnstructured{';

/** Returns `code` if it is an HTTP error status, else 500. */
function errorCodeOf(code: unknown): number {
  return typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599 ? code : 500;
}

/** Returns the error for a request without a response; an error of ours is returned unchanged. */
export function connectionError(what: string, server: URL, error: unknown): HookletError {
  if (error instanceof HookletError) return error;
  const code = errorCode(error);
  const said = error instanceof Error ? error.message || code : String(error);
  if (CERTIFICATE_REFUSED.test(code)) {
    return new CredentialsError(`${what}: ${server.origin} does not accept the client certificate: ${said}`, {
      cause: error,
    });
  }
  const hint = SERVER_CERTIFICATE.test(code)
    ? `the server's certificate is not trusted: ${said}; give its authority as certificate-authority in the kubeconfig`
    : said;
  return new KubeError(
    `${what}: no answer from ${server.origin}: ${hint}`,
    { status: 0, reason: code === '' ? 'ConnectionFailed' : code },
    { cause: error },
  );
}

const CERTIFICATE_REFUSED =
  /^ERR_SSL_.*(?:CERTIFICATE_(?:EXPIRED|REVOKED|UNKNOWN|REQUIRED)|BAD_CERTIFICATE|UNKNOWN_CA)$/;
const SERVER_CERTIFICATE =
  /^(?:SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_|ERR_TLS_CERT_ALTNAME)/;

interface StatusObject {
  readonly message: string;
  readonly reason: string;
  readonly retryAfterSeconds: number | undefined;
  readonly issues: readonly Issue[];
}

function readStatus(status: unknown): StatusObject {
  if (!isObject(status)) return { message: '', reason: '', retryAfterSeconds: undefined, issues: [] };
  const { message, reason, details } = status;
  const { retryAfterSeconds: seconds, causes } = isObject(details) ? details : {};
  return {
    message: typeof message === 'string' ? message : '',
    reason: typeof reason === 'string' ? shownName(reason) : '',
    retryAfterSeconds: typeof seconds === 'number' ? seconds : undefined,
    issues: Array.isArray(causes) ? causes.slice(0, MAX_ISSUES).flatMap(issueOf) : [],
  };
}

const MAX_ISSUES = 1000;

function issueOf(cause: unknown): Issue | [] {
  if (!isObject(cause)) return [];
  const { field, message } = cause;
  if (typeof field !== 'string' || typeof message !== 'string') return [];
  return { path: shownText(field), message: shownText(message) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_PAGE = 4000;

/** Shortens an HTML page or a text to one line. */
function plainText(body: string): string {
  // Only the beginning is used: the regular expression takes quadratic time on a page that is all "<".
  const line = body
    .slice(0, MAX_PAGE)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return shownText(line, 300);
}

function retryAfter(header: string | undefined, seconds: number | undefined): number | undefined {
  if (header !== undefined) {
    if (/^\d+$/.test(header.trim())) return bounded(Number(header) * 1000);
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return bounded(date - Date.now());
  }
  return seconds === undefined || seconds < 0 ? undefined : bounded(seconds * 1000);
}

/** Limit for the server's Retry-After: the server may have recovered by then, or the value may be wrong. */
const MAX_RETRY_AFTER_MS = 60_000;

function bounded(delayMs: number): number {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, delayMs));
}
