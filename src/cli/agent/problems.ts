import { messageOf } from '../../lib/message-of.ts';
import { NoConnectionError, type Place } from './exchange.ts';

const UNTRUSTED =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|ERR_TLS_CERT)/;
const UNREACHED = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES', 'EPERM']);

/** Why a host has no address, and what to look at. */
export function explainLookup(host: string, error: unknown): string {
  return `the name ${host} cannot be resolved (${codeOf(error) ?? messageOf(error)}): see whether the Service is there, and whether this Pod may reach the DNS of the cluster`;
}

/** Why there was no answer from a place, and what to look at; `authority` names what has the certificates that are trusted. */
export function explainFailure(place: Place, error: unknown, authority: string): string {
  const code = codeOf(error);
  const where = placeText(place);
  if (error instanceof NoConnectionError || UNREACHED.has(code ?? '')) {
    return `${where} cannot be connected to (${code ?? messageOf(error)}): see whether a NetworkPolicy forbids it`;
  }
  if (code === 'ECONNREFUSED') return `${where} refuses connections: the operator is not there, or is starting`;
  if (code !== undefined && UNTRUSTED.test(code)) {
    return `the certificate of ${where} is not trusted (${code}): ${messageOf(error)}; ${authority} has what must have signed it`;
  }
  return `${where}: ${messageOf(error)}`;
}

/** A place in words. */
export function placeText({ url, address }: Place): string {
  const port = url.port === '' ? '443' : url.port;
  const ip = address.includes(':') ? `[${address}]` : address;
  return ip === url.hostname ? `${ip}:${port}` : `${url.hostname} at ${ip}:${port}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
