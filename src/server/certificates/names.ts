import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** What clients call the webhook server. */
export interface ServerNames {
  readonly services: readonly { readonly namespace: string; readonly name: string }[];
  /** Hosts of URLs, and whatever else it is called: DNS names and IP addresses. */
  readonly hosts: readonly string[];
}

/** Names for one certificate. */
const MAX_NAMES = 50;
const MAX_DNS_NAME = 253;

/**
 * Returns the DNS names and IP addresses that the certificate must have: of a service the forms that its clients use, the
 * API server's first. What is neither is left out, and so is what exceeds 50.
 */
export function certificateNames({ services, hosts }: ServerNames): readonly string[] {
  const ofServices = services.flatMap(({ namespace, name }) => [
    `${name}.${namespace}.svc`,
    `${name}.${namespace}.svc.cluster.local`,
    `${name}.${namespace}`,
    name,
  ]);
  const all = [...ofServices, ...hosts].map((name) => name.toLowerCase().replace(/^\[(.*)\]$/, '$1'));
  return [...new Set(all)].filter(isName).slice(0, MAX_NAMES);
}

/** Returns the DNS names and IP addresses that a certificate has. */
export function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName.split(', ').flatMap((entry) => {
    const name = /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1]?.toLowerCase() ?? '';
    return isName(name) ? [name] : [];
  });
}

function isName(name: string): boolean {
  return isIP(name) !== 0 || (name.length <= MAX_DNS_NAME && DNS_NAME.test(name));
}

const DNS_NAME = /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
