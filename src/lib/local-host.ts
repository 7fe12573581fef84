import { isIP } from 'node:net';

/**
 * Whether a Host header names this machine: by an address, as `localhost`, or by one of the `given` names. This refuses
 * a web page whose own name resolves to 127.0.0.1 (DNS rebinding): its requests carry that name.
 */
export function isLocalHost(host: string | undefined, given: readonly string[] = []): boolean {
  // Every browser sends the header.
  if (host === undefined) return true;
  const name = host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return isIP(name) !== 0 || name === 'localhost' || given.some((one) => one.toLowerCase() === name);
}
