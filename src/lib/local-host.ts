import { isIP } from 'node:net';

/**
 * Whether a Host header names this machine by an address, as `localhost` or by one of the `given` names. A page in a
 * browser that has its own name resolve to 127.0.0.1 is refused by it: there the header has that name.
 */
export function isLocalHost(host: string | undefined, given: readonly string[] = []): boolean {
  // No browser leaves it out.
  if (host === undefined) return true;
  const name = host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return isIP(name) !== 0 || name === 'localhost' || given.some((one) => one.toLowerCase() === name);
}
