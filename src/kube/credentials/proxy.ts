import { BlockList, isIP } from 'node:net';

import { CredentialsError } from '../../errors.ts';
import { urlText } from '../../lib/url-text.ts';
import type { Environment } from '../environment.ts';
import { portOf } from '../http/http.ts';

/**
 * Returns the proxy for `server` from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case; undefined for a
 * direct connection.
 */
export function proxyFromEnvironment(server: URL, env: Environment): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = read(env, name);
  if (value === '' || isExcluded(server, read(env, 'NO_PROXY'))) return undefined;
  return parseProxy(value.includes('://') ? value : `http://${value}`, name);
}

/** Parses the address of an HTTP proxy; `where` names the setting in the error. */
export function parseProxy(value: string, where: string): URL {
  const url = URL.parse(value);
  if (url === null) throw new CredentialsError(`${where}: ${JSON.stringify(urlText(value))} is not a URL`);
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  throw new CredentialsError(
    `${where}: proxies of type ${url.protocol.slice(0, -1)} are not supported; give an http:// or https:// proxy`,
  );
}

function read(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

function isExcluded(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host.startsWith('127.') || host === '::1') return true;
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, portOf(server)));
}

function matches(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(entry, host);
  const [name, onlyPort] = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  return isIP(name) !== 0 || isIP(host) !== 0 ? name === host : isInDomain(name, host);
}

function splitPort(entry: string): readonly [name: string, port: number | undefined] {
  const parts = isIP(entry) === 0 ? /^(.*):(\d+)$/.exec(entry) : null;
  const name = (parts?.[1] ?? entry).replace(/^\[|\]$/g, '');
  return [name, parts === null ? undefined : Number(parts[2])];
}

function isInDomain(name: string, host: string): boolean {
  const suffix = name.replace(/^\*?\./, '');
  // A leading dot matches subdomains only.
  return host.endsWith(`.${suffix}`) || (suffix === name && host === suffix);
}

function isInNetwork(entry: string, host: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(network);
  if (family === 0 || family !== isIP(host)) return false;
  const list = new BlockList();
  const type = family === 6 ? 'ipv6' : 'ipv4';
  try {
    list.addSubnet(network, Number(bits), type);
  } catch {
    return false;
  }
  return list.check(host, type);
}
