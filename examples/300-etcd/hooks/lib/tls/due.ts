import type { Observed, Wanted } from '../observed.ts';
import { endMs, isIssuedBy, isValidAt, type Both, type HeldPair } from './held.ts';
import type { Given } from './given.ts';
import { isKnown, isTrusted } from './trust.ts';
import type { TlsView } from './view.ts';
import { lifetimesOf, missingNames, namesOf } from './wanted.ts';

/** Whether a member has a valid and trusted certificate; the name of the cluster stands for the client. */
export function isUsable(observed: Observed, { held }: TlsView, name: string): boolean {
  const leaf = leafOf(observed, held, name);
  return leaf !== undefined && isBelieved(observed, leaf, name);
}

/** Whether a certificate is valid now and all members trust its issuer. The client has none for peers. */
export function isBelieved(observed: Observed, { client, peer }: Both<HeldPair>, name: string): boolean {
  const isPeer = name !== observed.cluster.name;
  return (
    isValidAt(client.certificate, observed.nowMs) &&
    isKnown(observed, 'client', client) &&
    (!isPeer || (isValidAt(peer.certificate, observed.nowMs) && isKnown(observed, 'peer', peer)))
  );
}

/** Why a certificate is to be made anew, although it can be used; undefined where it is not. */
export function dueWhy(observed: Observed, wanted: Wanted, name: string): string | undefined {
  const { tls, cluster } = observed;
  const leaf = tls && leafOf(observed, tls.held, name);
  if (tls === undefined || leaf === undefined) return undefined;
  const isClient = name === cluster.name;
  if (tls.given !== undefined)
    return isOther(leaf, givenFor(tls.given, isClient)) ? 'another one was given' : undefined;
  const { signer, sinceMs } = tls.held.authorities;
  if (signer === undefined || !isTrusted(observed, signer)) return undefined;
  if (isBySigner(leaf, signer, isClient)) return byItself(observed, wanted, { leaf, signer, name });
  // Clients have to know it before.
  const isSettled = observed.nowMs >= sinceMs + lifetimesOf(wanted.spec).settleMs;
  return isSettled ? 'another authority signs now' : undefined;
}

function isOther({ client, peer }: Both<HeldPair>, source: Both<HeldPair> | undefined): boolean {
  return source !== undefined && (source.client.cert !== client.cert || source.peer.cert !== peer.cert);
}

function isBySigner(leaf: Both<HeldPair>, signer: Both<HeldPair>, isClient: boolean): boolean {
  return (
    isIssuedBy(leaf.client.certificate, signer.client.certificate) &&
    (isClient || isIssuedBy(leaf.peer.certificate, signer.peer.certificate))
  );
}

interface Judged {
  readonly leaf: Both<HeldPair>;
  readonly signer: Both<HeldPair>;
  readonly name: string;
}

function byItself({ cluster, nowMs }: Observed, { spec }: Wanted, { leaf, signer, name }: Judged): string | undefined {
  const { leafMs } = lifetimesOf(spec);
  const names = name === cluster.name ? [] : namesOf(cluster, name, spec);
  const [missing] = missingNames(leaf.client.certificate, names);
  if (missing !== undefined) return `it was not for ${missing}`;
  const left = Math.min(leftMs(leaf.client, nowMs), leftMs(leaf.peer, nowMs));
  const gained = Math.min(leafMs, leftMs(signer.client, nowMs), leftMs(signer.peer, nowMs)) - left;
  return left < leafMs / 3 && gained > leafMs / 10 ? 'it was in the last third of its life' : undefined;
}

export function leftMs(pair: HeldPair, nowMs: number): number {
  return endMs(pair) - nowMs;
}

/** What the user gave for the client, or for any member. */
export function givenFor({ client, members }: Given, isClient: boolean): Both<HeldPair> | undefined {
  return isClient ? client && { client, peer: client } : members;
}

/** The client has one certificate, for one side. */
function leafOf({ cluster }: Observed, held: TlsView['held'], name: string): Both<HeldPair> | undefined {
  if (name !== cluster.name) return held.members.get(name);
  return held.client && { client: held.client, peer: held.client };
}
