import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Certificate } from '../tls-server.ts';
import { certificatesIn, MAX_PEM_LENGTH } from './pem.ts';
import { messageOf } from '../../lib/message-of.ts';

/** A serving certificate that fits its key, and that a TLS server takes. */
export interface Pair {
  readonly certificate: Certificate;
  /** The leaf, then what is sent with it. */
  readonly chain: readonly [X509Certificate, ...X509Certificate[]];
  readonly leaf: X509Certificate;
}

/** What a certificate and a key are together; `problem` never has a part of the key in it. */
export type PairRead =
  | { readonly type: 'pair'; readonly pair: Pair }
  | { readonly type: 'unusable'; readonly problem: string };

/** Reads a serving certificate with its chain, and its key, of two PEM texts. */
export function readPair(cert: string, key: string): PairRead {
  const [leaf, ...rest] = certificatesIn(cert);
  if (leaf === undefined) return unusable(`has no certificate${tooLong(cert)}`);
  try {
    if (key.length > MAX_PEM_LENGTH) return unusable('has a key that is too long');
    if (!leaf.checkPrivateKey(createPrivateKey(key))) return unusable('has a key that is not of its certificate');
  } catch {
    return unusable('has no private key that can be read without a password');
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    return unusable(`cannot be served: ${messageOf(error)}`);
  }
  return { type: 'pair', pair: { certificate: { cert, key }, chain: [leaf, ...rest], leaf } };
}

function tooLong(cert: string): string {
  return cert.length > MAX_PEM_LENGTH ? `: it has more than ${MAX_PEM_LENGTH} characters` : '';
}

function unusable(problem: string): PairRead {
  return { type: 'unusable', problem };
}
