import type { X509Certificate } from 'node:crypto';
import { isValidAt } from './pem.ts';

/**
 * Returns the certificate of `anchors` that makes `chain` trusted at that time, as the API server decides it: the leaf, or
 * what issued it over the certificates that are sent with it, is an anchor, and all of them are valid.
 */
export function anchorOf(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  nowMs: number,
): X509Certificate | undefined {
  const [leaf] = chain;
  const valid = (certificate: X509Certificate): boolean => isValidAt(certificate, nowMs);
  return leaf !== undefined && valid(leaf)
    ? search(leaf, { anchors: anchors.filter(valid), others: chain.slice(1).filter(valid) }, MAX_DEPTH)
    : undefined;
}

/** Whether the key of `issuer` signed `certificate`. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  const results = VERIFIED.get(certificate) ?? new WeakMap<X509Certificate, boolean>();
  const isIssued = results.get(issuer) ?? verified(certificate, issuer);
  VERIFIED.set(certificate, results.set(issuer, isIssued));
  return isIssued;
}

// Signatures are verified once: the same certificates are looked at whenever something changes.
const VERIFIED = new WeakMap<X509Certificate, WeakMap<X509Certificate, boolean>>();

function verified(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

/** Intermediate certificates of a chain; what is deeper is not trusted. */
const MAX_DEPTH = 5;

interface Known {
  readonly anchors: readonly X509Certificate[];
  readonly others: readonly X509Certificate[];
}

function search(certificate: X509Certificate, known: Known, depth: number): X509Certificate | undefined {
  const { anchors, others } = known;
  const found = anchors.find(
    (anchor) => anchor.fingerprint256 === certificate.fingerprint256 || isIssuedBy(certificate, anchor),
  );
  if (found !== undefined || depth === 0) return found;
  for (const issuer of others.filter((other) => isIssuedBy(certificate, other))) {
    const rest = others.filter((other) => other !== issuer);
    const above = search(issuer, { anchors, others: rest }, depth - 1);
    if (above !== undefined) return above;
  }
  return undefined;
}
