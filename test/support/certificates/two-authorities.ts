import { readPair, type Pair } from '../../../src/server/certificates/pair.ts';
import { makeAuthority, makeLeaf, type Lifetime } from '../../../src/server/certificates/self-made/x509.ts';
import type { Certificate } from '../../../src/server/tls-server.ts';

export const NOW = Date.now();
export const HOUR = 3_600_000;
export const LIFETIME = { notBeforeMs: NOW - 2 * HOUR, notAfterMs: NOW + HOUR };

/** Two authorities of one name. */
export const [first, second] = [makeAuthority('ca', LIFETIME), makeAuthority('ca', LIFETIME)];
export const CERT = { first: String(first.cert), second: String(second.cert) };

/** Makes a serving certificate. */
export function pairBy(authority: Certificate, lifetime: Lifetime = LIFETIME): Pair {
  const { cert, key } = makeLeaf(authority, ['a.b.svc'], lifetime);
  const read = readPair(String(cert), String(key));
  if (read.type === 'unusable') throw new Error(read.problem);
  return read.pair;
}
