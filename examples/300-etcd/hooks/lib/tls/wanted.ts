import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostOf, type ClusterName, type ClusterSpec } from '../cluster.ts';
import { lifetimeOf } from '../quantity.ts';

export const DEFAULT_DURATION = '365d';
export const DEFAULT_AUTHORITY_DURATION = '3650d';
/** Certificates are valid from before they were made, as clocks differ. */
export const SLACK_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** How long certificates are valid, and how long a new authority is trusted before it signs, in milliseconds. */
export interface Lifetimes {
  readonly leafMs: number;
  readonly authorityMs: number;
  readonly settleMs: number;
}

export function lifetimesOf({ tls = {} }: ClusterSpec): Lifetimes {
  const leafMs = lifetimeOf(tls.duration ?? DEFAULT_DURATION) ?? 0;
  const authorityMs = lifetimeOf(tls.authorityDuration ?? DEFAULT_AUTHORITY_DURATION) ?? 0;
  // Clients take up what they mount within minutes, and some of them only now and then.
  return { leafMs, authorityMs, settleMs: Math.min(DAY_MS, authorityMs / 100) };
}

/** The names and addresses at which members, clients and the member itself connect to a member. */
export function namesOf(cluster: ClusterName, member: string, { tls = {} }: ClusterSpec): readonly string[] {
  const { name, namespace } = cluster;
  const service = `${name}-client`;
  const host = hostOf(cluster, member);
  const own = [host, `${host}.cluster.local`, service, `${service}.${namespace}`, `${service}.${namespace}.svc`];
  return [...new Set([...own, 'localhost', '127.0.0.1', '::1', ...(tls.extraNames ?? [])])];
}

/** Those of the names that a certificate is not for. */
export function missingNames(certificate: X509Certificate, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    if (isIP(name) !== 0) return certificate.checkIP(name) === undefined;
    // A name with a star is there as such, or not.
    if (name.startsWith('*.')) return certificate.subjectAltName?.split(', ').includes(`DNS:${name}`) !== true;
    return certificate.checkHost(name) === undefined;
  });
}
