import type { X509Certificate } from 'node:crypto';
import type { ClusterSpec } from '../cluster.ts';
import type { MemberParts, Observed } from '../observed.ts';
import { certificatesIn, isIssuedBy, type Both, type HeldPair } from './held.ts';
import type { TlsView } from './view.ts';
import { lifetimesOf } from './wanted.ts';

/** The authorities, as PEM, by which members trust clients and each other. They are in the template of the Pods. */
export type Trust = Both<string>;

const SIDES = ['client', 'peer'] as const;
type Side = (typeof SIDES)[number];

/**
 * The authorities that all members should trust: the present, the next, and an older one while a certificate of it
 * is in use or can be valid. So a leaf is never shown to a member that cannot know its authority.
 */
export function trustWanted({ tls, parts, nowMs }: Observed, spec: ClusterSpec): Trust | undefined {
  if (tls === undefined) return undefined;
  const of = (side: Side): string => {
    const fresh = freshOf(tls, side);
    const leaves = leavesOf(tls, side);
    const { leafMs, settleMs } = lifetimesOf(spec);
    const { authorities, issuedMs } = tls.held;
    // What was shown before may be shown still: by a member whose kubelet is late, by a client that has a copy.
    const isRecent = nowMs < (tls.given === undefined ? authorities.sinceMs + leafMs : issuedMs) + settleMs;
    const older = trustedBy(parts, side).filter(
      (authority) =>
        tls.given?.problem !== undefined ||
        (authority.validToDate.getTime() > nowMs && (isRecent || leaves.some((leaf) => isIssuedBy(leaf, authority)))),
    );
    return textOf([...fresh, ...older]);
  };
  return { client: of('client'), peer: of('peer') };
}

function freshOf({ given, held }: TlsView, side: Side): readonly X509Certificate[] {
  if (given !== undefined) return given.authorities[side];
  const { signer, next } = held.authorities;
  return [signer, next].flatMap((both) => (both === undefined ? [] : [both[side].certificate]));
}

/** What members and clients show today. */
function leavesOf({ held }: TlsView, side: Side): readonly X509Certificate[] {
  const own = [...held.members.values()].map((both) => both[side].certificate);
  return side === 'client' && held.client !== undefined ? [...own, held.client.certificate] : own;
}

/** In an order that does not depend on where they came from. */
function textOf(authorities: readonly X509Certificate[]): string {
  const byPrint = new Map(authorities.map((authority) => [authority.fingerprint256, authority.toString()]));
  return [...byPrint]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text)
    .join('');
}

function trustedBy(parts: readonly MemberParts[], side: Side): readonly X509Certificate[] {
  return trustsOf(parts, side).flat();
}

/** The sets of authorities that members trust, each set once. */
function trustsOf(parts: readonly MemberParts[], side: Side): readonly (readonly X509Certificate[])[] {
  const sets = parts.flatMap(({ set }) => (set === undefined ? [] : [set]));
  return [...new Set(sets.map(({ trust }) => trust?.[side] ?? ''))].map(certificatesIn);
}

/** Whether all members that there are trust both authorities; with no member there is none that does not. */
export function isTrusted({ parts }: Observed, authorities: Both<HeldPair>): boolean {
  return SIDES.every((side) => {
    const print = authorities[side].certificate.fingerprint256;
    return trustsOf(parts, side).every((trusted) => trusted.some((one) => one.fingerprint256 === print));
  });
}

/** Whether all members that there are know the authority of a certificate. */
export function isKnown({ parts }: Observed, side: Side, { certificate }: HeldPair): boolean {
  return trustsOf(parts, side).every((trusted) => trusted.some((authority) => isIssuedBy(certificate, authority)));
}
