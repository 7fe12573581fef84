import { X509Certificate } from 'node:crypto';

/** Limit on a text with certificates; the API server allows less than four times this for a whole object. */
export const MAX_PEM_LENGTH = 256 * 1024;
const MAX_CERTIFICATES = 64;

/**
 * Returns the certificates in a PEM text, each once, in their order. What is no certificate is skipped, as the API
 * server does; of a text that is too long nothing is read.
 */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  if (pem.length > MAX_PEM_LENGTH) return [];
  const found = new Map<string, X509Certificate>();
  for (const [block] of pem.matchAll(BLOCK)) {
    if (found.size >= MAX_CERTIFICATES) break;
    const certificate = parsed(block);
    if (certificate !== undefined) found.set(certificate.fingerprint256, certificate);
  }
  return [...found.values()];
}

/** Writes certificates as PEM. */
export function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join('');
}

/** Returns the certificates of all lists, each once: the first of each fingerprint. */
export function unionOf(...lists: readonly (readonly X509Certificate[])[]): readonly X509Certificate[] {
  const found = new Map<string, X509Certificate>();
  for (const certificate of lists.flat()) {
    if (!found.has(certificate.fingerprint256)) found.set(certificate.fingerprint256, certificate);
  }
  return [...found.values()];
}

/** Whether the certificate is valid at that time. */
export function isValidAt(certificate: X509Certificate, nowMs: number): boolean {
  return certificate.validFromDate.getTime() <= nowMs && nowMs < certificate.validToDate.getTime();
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function parsed(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}
