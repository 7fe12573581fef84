import { isIP } from 'node:net';
import { numberAt, textAt } from '../json-fields.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Endpoint } from './webhook-endpoint.ts';

const VERIFICATION = 'tls: failed to verify certificate: x509';
const UNKNOWN_AUTHORITY = `${VERIFICATION}: certificate signed by unknown authority`;

/** The API server's words for an error of a connection. */
export function networkProblem(error: Error, endpoint: Endpoint): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return PROBLEMS[code]?.(endpoint, error) ?? error.message;
}

type Words = (endpoint: Endpoint, error: Error) => string;

const untrusted: Words = () => UNKNOWN_AUTHORITY;
const expired: Words = () => `${VERIFICATION}: certificate has expired or is not yet valid`;
const otherName: Words = ({ connectTo, serverName }, error) =>
  `${VERIFICATION}: ${wrongName(error, serverName ?? connectTo.hostname)}`;
const notTls: Words = (_endpoint, { message }) =>
  message.includes('alert') ? `remote error: tls: ${message}` : 'http: server gave HTTP response to HTTPS client';
const reset: Words = () => 'EOF';
const unresolved: Words = ({ connectTo }) => `dial tcp: lookup ${connectTo.hostname}: no such host`;
const refused: Words = ({ connectTo }) =>
  `dial tcp ${connectTo.hostname}:${connectTo.port || '443'}: connect: connection refused`;

const PROBLEMS: { readonly [code: string]: Words } = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  INVALID_CA: untrusted,
  CERT_REJECTED: untrusted,
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: expired,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  EPROTO: notTls,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  ECONNRESET: reset,
  EPIPE: reset,
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  ECONNREFUSED: refused,
};

function wrongName(error: Error, host: string): string {
  const names = (/cert's (?:altnames|list): (.*)$/.exec(error.message)?.[1] ?? '').split(', ');
  const prefix = isIP(host) > 0 ? 'IP Address:' : 'DNS:';
  const valid = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  if (valid.length > 0) return `certificate is valid for ${valid.join(', ')}, not ${host}`;
  return isIP(host) > 0
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}

const STATUS_TEXTS: { readonly [code: number]: string } = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  413: 'the server rejected our request due to an error in our request',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

const MAX_SHOWN = 2048;

/** The API server's words for an answer that is not a success. */
export function statusProblem(code: number, text: string): string {
  const status = statusIn(text);
  if (status !== undefined) return textAt(status, 'message');
  const known = STATUS_TEXTS[code];
  if (known !== undefined) return known;
  const shown = text.trim() === '' ? 'unknown' : text.trim().slice(0, MAX_SHOWN);
  if (code === 403) return shown;
  if (code >= 500) return `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}

function statusIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isStatus = isJsonObject(value) && value['kind'] === 'Status' && value['apiVersion'] === 'v1';
    return isStatus && (textAt(value, 'message') !== '' || numberAt(value, 'code') !== undefined) ? value : undefined;
  } catch {
    return undefined;
  }
}
