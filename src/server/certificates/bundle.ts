import type { X509Certificate } from 'node:crypto';
import { certificatesIn, isValidAt, pemOf, unionOf } from './pem.ts';

/** Certificates in one registered bundle. */
const MAX_CERTIFICATES = 24;
/** How long an expired certificate of others stays: their clocks may differ. */
const SLACK_MS = 3_600_000;
/** An authority that became valid later than this ago may just have been registered: those of hooklet begin an hour earlier. */
export const YOUNG_MS = 75 * 60_000;

/**
 * Returns the `caBundle` to write into an object that has `registered`; undefined when it needs no write. It only ever
 * adds what `caBundle` has, and removes what has expired: a replica that does not know the newest authority yet must not
 * take it out, nor one that lost the Secret the authority that others still serve by. What has expired stays while all that
 * is valid is young: it tells every replica that some API server may still go by it.
 */
export function bundleToRegister(registered: string, caBundle: string, nowMs: number): string | undefined {
  const own = certificatesIn(caBundle);
  const there = certificatesIn(registered);
  const isOld = ({ validFromDate }: X509Certificate): boolean => validFromDate.getTime() <= nowMs - YOUNG_MS;
  const isOver = ({ validToDate }: X509Certificate): boolean => validToDate.getTime() + SLACK_MS <= nowMs;
  const areYoung = ![...own, ...there].some((one) => isOld(one) && isValidAt(one, nowMs));
  const kept = areYoung ? there : there.filter((one) => !isOver(one));
  const wanted = unionOf(own, kept).slice(0, MAX_CERTIFICATES);
  const fingerprints = new Set(there.map(({ fingerprint256 }) => fingerprint256));
  const isSame = wanted.length === there.length && wanted.every((one) => fingerprints.has(one.fingerprint256));
  return isSame ? undefined : pemOf(wanted);
}

/** The bundles of several registrations together; undefined until all are known. */
export function joinedBundles(
  parts: readonly { bundles(): readonly string[] | undefined }[],
): readonly string[] | undefined {
  const all = parts.map((part) => part.bundles());
  return all.every((bundles) => bundles !== undefined) ? all.flat() : undefined;
}
