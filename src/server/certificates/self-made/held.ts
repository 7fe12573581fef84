/*
 * What the Secret of self-made certificates holds. `ca.crt` has every certificate authority that is to be trusted, and
 * no key says more than which of them it belongs to: `ca.key` is of the one that signs, `ca-next.key` of the one that
 * will sign once it is registered everywhere. `tls.crt` and `tls.key` are the leaf. Whatever is missing, cut or not what
 * it should be counts as absent, so that any state of the Secret leads on.
 */

import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { readPair, type Pair } from '../pair.ts';
import { certificatesIn, MAX_PEM_LENGTH, pemOf, unionOf } from '../pem.ts';
import { isIssuedBy } from '../trust.ts';

/** The keys of the Secret. */
export const SECRET_KEYS = ['ca.crt', 'ca.key', 'ca-next.key', 'tls.crt', 'tls.key'] as const;

/** The texts of the Secret by key. */
export type SecretTexts = Readonly<Partial<Record<(typeof SECRET_KEYS)[number], string>>>;

/** A certificate authority whose key is held. */
export interface Signer {
  readonly certificate: X509Certificate;
  /** PEM. */
  readonly key: string;
}

/** The parts of the Secret that can be used. */
export interface Held {
  readonly authorities: readonly X509Certificate[];
  readonly signer: Signer | undefined;
  readonly next: Signer | undefined;
  /** Issued by one of `authorities`, `issuer`. */
  readonly leaf: Pair | undefined;
  readonly issuer: X509Certificate | undefined;
}

/** Reads the texts of the Secret. */
export function readHeld(texts: SecretTexts): Held {
  const authorities = certificatesIn(texts['ca.crt'] ?? '').filter(({ ca }) => ca);
  const signer = signerOf(texts['ca.key'], authorities);
  const next = signerOf(texts['ca-next.key'], authorities);
  const read = readPair(texts['tls.crt'] ?? '', texts['tls.key'] ?? '');
  const pair = read.type === 'pair' ? read.pair : undefined;
  const issuer = pair && authorities.find((authority) => isIssuedBy(pair.leaf, authority));
  return {
    authorities,
    signer,
    next: next?.certificate === signer?.certificate ? undefined : next,
    leaf: issuer && pair,
    issuer,
  };
}

/** Writes the parts as the texts of the Secret. */
export function textsOf({ authorities, signer, next, leaf }: Held): SecretTexts {
  const signers = [signer, next].flatMap((one) => (one === undefined ? [] : [one.certificate]));
  return {
    'ca.crt': pemOf(unionOf(authorities, signers)),
    ...(signer && { 'ca.key': signer.key }),
    ...(next && { 'ca-next.key': next.key }),
    ...(leaf && { 'tls.crt': String(leaf.certificate.cert), 'tls.key': String(leaf.certificate.key) }),
  };
}

/** P-256, P-384 and P-521, by the names of OpenSSL. */
const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1', 'secp521r1'];

function signerOf(key: string | undefined, authorities: readonly X509Certificate[]): Signer | undefined {
  if (key === undefined || key.length > MAX_PEM_LENGTH) return undefined;
  try {
    const privateKey = createPrivateKey(key);
    // What is signed by other keys is no certificate that `x509.ts` can make, and that API servers understand.
    if (!CURVES.includes(privateKey.asymmetricKeyDetails?.namedCurve)) return undefined;
    const certificate = authorities.find((authority) => authority.checkPrivateKey(privateKey));
    return certificate && { certificate, key };
  } catch {
    return undefined;
  }
}
