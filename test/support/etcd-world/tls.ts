import { X509Certificate } from 'node:crypto';
import type { NewObject } from 'hooklet';
import type { Served } from '../../../examples/300-etcd/hooks/lib/etcd-port.ts';
import { CLIENT_TRUST, PEER_TRUST } from '../../../examples/300-etcd/hooks/lib/tls/mount.ts';

/** What etcd has of certificates: whom it trusts since it started, and what is in the files that it reads anew. */
export interface ProcessTls {
  readonly clientTrust: string;
  readonly peerTrust: string;
  server: string;
  peer: string;
}

/** What a client shows, and whom it trusts. */
export interface ClientTls {
  readonly cert: string;
  readonly authorities: string;
}

/** The certificates of a Pod that starts now; undefined without TLS, a text where it waits for them. */
export function startingTls(set: NewObject, secret: NewObject | undefined): ProcessTls | string | undefined {
  const { template }: Templated = JSON.parse(JSON.stringify(set.spec));
  const { [CLIENT_TRUST]: clientTrust, [PEER_TRUST]: peerTrust } = template.metadata.annotations;
  if (clientTrust === undefined || peerTrust === undefined) return undefined;
  if (secret === undefined) return 'it waits for what it mounts';
  return { clientTrust, peerTrust, server: shownIn(secret, 'server.crt'), peer: shownIn(secret, 'peer.crt') };
}

interface Templated {
  readonly template: { readonly metadata: { readonly annotations: Readonly<Record<string, string>> } };
}

/** The kubelet brings what the Secret has now. */
export function refresh(tls: ProcessTls, secret: NewObject | undefined): void {
  if (secret === undefined) return;
  tls.server = shownIn(secret, 'server.crt');
  tls.peer = shownIn(secret, 'peer.crt');
}

export function clientTls(secret: NewObject | undefined): ClientTls | undefined {
  if (secret === undefined) return undefined;
  return { cert: shownIn(secret, 'tls.crt'), authorities: shownIn(secret, 'ca.crt') };
}

export function shownIn(secret: NewObject, key: string): string {
  const { data = {} }: { readonly data?: Readonly<Record<string, string>> } = JSON.parse(JSON.stringify(secret));
  return Buffer.from(data[key] ?? '', 'base64').toString();
}

export interface Clocks {
  readonly memberMs: number;
  readonly clientMs: number;
}

/** Whether a client and a member, whose URL it asks, believe each other. */
export function believes(client: ClientTls | undefined, tls: ProcessTls, host: string, at: Clocks): boolean {
  if (client === undefined || !isBelieved(client.cert, tls.clientTrust, at.memberMs)) return false;
  return isBelieved(tls.server, client.authorities, at.clientMs) && parsed(tls.server)?.checkHost(host) !== undefined;
}

export function areFriends(a: ProcessTls | undefined, b: ProcessTls | undefined, nowMs: number): boolean {
  if (a === undefined || b === undefined) return a === b;
  return isBelieved(a.peer, b.peerTrust, nowMs) && isBelieved(b.peer, a.peerTrust, nowMs);
}

export function served(endpoint: string, tls: ProcessTls, clockMs: number): Served {
  return { endpoint, fingerprint: parsed(tls.server)?.fingerprint256 ?? '', clockMs };
}

/** Whether a certificate and an authority of it are both valid. */
export function isBelieved(cert: string, authorities: string, nowMs: number): boolean {
  const leaf = parsed(cert);
  return leaf !== undefined && isValid(leaf, nowMs) && issuersOf(cert, authorities).some((one) => isValid(one, nowMs));
}

function isValid({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs < validToDate.getTime();
}

const certificates = new Map<string, X509Certificate | undefined>();
const issuers = new Map<string, readonly X509Certificate[]>();

function parsed(text: string): X509Certificate | undefined {
  if (!certificates.has(text)) {
    try {
      certificates.set(text, new X509Certificate(text));
    } catch {
      certificates.set(text, undefined);
    }
  }
  return certificates.get(text);
}

function issuersOf(cert: string, authorities: string): readonly X509Certificate[] {
  const key = `${cert}|${authorities}`;
  const known = issuers.get(key);
  if (known !== undefined) return known;
  const leaf = parsed(cert);
  const all = authorities.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n?/g) ?? [];
  const found = all.flatMap((text) => {
    const one = parsed(text);
    return one !== undefined && leaf?.checkIssued(one) === true && leaf.verify(one.publicKey) ? [one] : [];
  });
  issuers.set(key, found);
  return found;
}
