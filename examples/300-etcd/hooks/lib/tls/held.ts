import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KubernetesObject } from 'hooklet';
import type { Pair } from './certificate.ts';

/** What there is once for clients, with the servers that they talk to, and once for the peers among each other. */
export interface Both<T> {
  readonly client: T;
  readonly peer: T;
}

/** A pair of which the key is that of the certificate. */
export interface HeldPair extends Pair {
  readonly certificate: X509Certificate;
}

/** The authorities that sign, and those that will. */
export interface Authorities {
  readonly signer: Both<HeldPair> | undefined;
  readonly next: Both<HeldPair> | undefined;
  /** When each joined those that are trusted. */
  readonly sinceMs: number;
  readonly nextSinceMs: number;
}

/** The content of the Secrets of a cluster, without certificates and keys that cannot be read. */
export interface HeldSecrets {
  readonly authorities: Authorities;
  /** By name of member: its certificate as a server, and as a peer. */
  readonly members: ReadonlyMap<string, Both<HeldPair>>;
  readonly client: HeldPair | undefined;
  /** When the last of these certificates was put there. */
  readonly issuedMs: number;
  /** As they are in Kubernetes, by name, to be given again unchanged. */
  readonly data: ReadonlyMap<string, SecretData>;
}

/** In base64, as Kubernetes has it. */
export type SecretData = Readonly<Record<string, string>>;

export const authoritySecret = (cluster: string): string => `${cluster}-authority`;
export const clientSecret = (cluster: string): string => `${cluster}-client-tls`;
export const memberSecret = (member: string): string => `${member}-tls`;

export function heldIn(cluster: string, secrets: readonly KubernetesObject[]): HeldSecrets {
  const data = new Map(secrets.map((secret) => [secret.metadata.name, dataOf(secret)]));
  const members = [...data].flatMap(([name, given]) => {
    const both = bothIn(given, { client: 'server', peer: 'peer' });
    return both === undefined ? [] : [[name.replace(/-tls$/, ''), both] as const];
  });
  return {
    authorities: authoritiesIn(data.get(authoritySecret(cluster)) ?? {}),
    members: new Map(members),
    client: pairIn(data.get(clientSecret(cluster)) ?? {}, 'tls'),
    issuedMs: Math.max(0, ...[...data.values()].map((given) => timeIn(given, 'issued'))),
    data,
  };
}

function authoritiesIn(data: SecretData): Authorities {
  return {
    signer: bothIn(data, { client: 'client', peer: 'peer' }),
    next: bothIn(data, { client: 'next-client', peer: 'next-peer' }),
    sinceMs: timeIn(data, 'since'),
    nextSinceMs: timeIn(data, 'next-since'),
  };
}

function timeIn(data: SecretData, name: string): number {
  return Date.parse(textIn(data, name)) || 0;
}

function bothIn(data: SecretData, names: Both<string>): Both<HeldPair> | undefined {
  const [client, peer] = [pairIn(data, names.client), pairIn(data, names.peer)];
  return client && peer && { client, peer };
}

/** The pair in two fields of a Secret; undefined where they are not one. */
export function pairIn(data: SecretData, name: string): HeldPair | undefined {
  const [cert, key] = [textIn(data, `${name}.crt`), textIn(data, `${name}.key`)];
  try {
    const certificate = new X509Certificate(cert);
    return certificate.checkPrivateKey(createPrivateKey(key)) ? { cert, key, certificate } : undefined;
  } catch {
    return undefined;
  }
}

export function textIn(data: SecretData, name: string): string {
  return Buffer.from(data[name] ?? '', 'base64').toString();
}

export function dataOf(secret: KubernetesObject): SecretData {
  const data: unknown = Reflect.get(secret, 'data');
  const entries = typeof data === 'object' && data !== null ? Object.entries(data) : [];
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}

/** All certificates in a text; blocks that are no certificate are left out. */
export function certificatesIn(text: string): readonly X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

export function isValidAt({ validFromDate, validToDate }: X509Certificate, ms: number): boolean {
  return validFromDate.getTime() <= ms && ms < validToDate.getTime();
}

export function isIssuedBy(leaf: X509Certificate, authority: X509Certificate): boolean {
  return leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
}

/** When a certificate expires, in milliseconds since 1970. */
export function endMs({ certificate }: HeldPair): number {
  return certificate.validToDate.getTime();
}
