import { X509Certificate } from 'node:crypto';
import { unreachable } from '../../../lib/unreachable.ts';
import { namesOf } from '../names.ts';
import { readPair, type Pair } from '../pair.ts';
import { isValidAt, unionOf } from '../pem.ts';
import { isIssuedBy } from '../trust.ts';
import type { Held, Signer } from './held.ts';
import { leafEndMs, type Situation, type Step } from './next-step.ts';
import type { makeAuthority, makeLeaf } from './x509.ts';

/** Makes certificates; passed in because the library for it is loaded only when one is made. */
export interface Maker {
  readonly makeAuthority: typeof makeAuthority;
  readonly makeLeaf: typeof makeLeaf;
}

export interface CarryOutOptions extends Situation {
  readonly maker: Maker;
  /** The name of new authorities. */
  readonly authorityName: string;
  /** Authorities that leaves were served by, for a Secret that lost them. */
  readonly known: readonly X509Certificate[];
}

/** Names of a leaf, twice those that one replica may want; what others want is dropped first. */
const MAX_NAMES = 100;

/** Returns what the Secret holds after `step`. Where a signer makes no leaf that counts, a new authority takes its place. */
export function carryOut(step: Exclude<Step, { type: 'wait' }>, held: Held, options: CarryOutOptions): Held {
  switch (step.type) {
    case 'renewAll':
      return renewAll(held, options);
    case 'addAuthority': {
      const next = newAuthority(options);
      return { ...held, authorities: unionOf([next.certificate], held.authorities), next };
    }
    case 'promote': {
      const leaf = newLeaf(step.next, held, options);
      return leaf === undefined ? renewAll(held, options) : { ...held, signer: step.next, next: undefined, ...leaf };
    }
    case 'renewLeaf': {
      const leaf = newLeaf(step.signer, held, options);
      return leaf === undefined ? renewAll(held, options) : { ...held, ...leaf };
    }
    case 'forget':
      return { ...held, authorities: held.authorities.filter((authority) => !step.authorities.includes(authority)) };
    default:
      return unreachable(step);
  }
}

function renewAll(held: Held, options: CarryOutOptions): Held {
  const { known, nowMs } = options;
  const signer = newAuthority(options);
  const leaf = newLeaf(signer, held, options);
  if (leaf === undefined) throw new Error('the certificate that was made is not by the authority that was made');
  const kept = unionOf(held.authorities, known).filter((authority) => isValidAt(authority, nowMs));
  return { ...held, authorities: unionOf([signer.certificate], kept), signer, next: undefined, ...leaf };
}

function newAuthority({ maker, authorityName, nowMs, lifetimes }: CarryOutOptions): Signer {
  const { slackMs, authorityMs } = lifetimes;
  const made = maker.makeAuthority(authorityName, { notBeforeMs: nowMs - slackMs, notAfterMs: nowMs + authorityMs });
  return { certificate: new X509Certificate(made.cert), key: String(made.key) };
}

interface Leaf {
  readonly leaf: Pair;
  readonly issuer: X509Certificate;
}

/**
 * Returns a leaf that `readHeld` takes as one of this signer; undefined where that cannot be, as by an authority of
 * others that names its key in another way: it would be made again for ever.
 */
function newLeaf(signer: Signer, held: Held, options: CarryOutOptions): Leaf | undefined {
  const { maker, nowMs, lifetimes } = options;
  const authority = { cert: signer.certificate.toString(), key: signer.key };
  const lifetime = { notBeforeMs: nowMs - lifetimes.slackMs, notAfterMs: leafEndMs(signer, options) };
  const { cert, key } = maker.makeLeaf(authority, wantedNames(held, options), lifetime);
  const read = readPair(String(cert), String(key));
  if (read.type === 'unusable') throw new Error(`the certificate that was made ${read.problem}`);
  return isIssuedBy(read.pair.leaf, signer.certificate) ? { leaf: read.pair, issuer: signer.certificate } : undefined;
}

/**
 * The names that this replica wants, and, until the leaf before has expired, those of that leaf: a replica with other
 * settings may want them, and the two would undo each other's work.
 */
function wantedNames({ leaf }: Held, { names, nowMs, lifetimes }: CarryOutOptions): readonly string[] {
  const isFresh = leaf !== undefined && leaf.leaf.validToDate.getTime() - nowMs > lifetimes.leafMs / 3;
  const others = isFresh ? namesOf(leaf.leaf) : [];
  return [...new Set([...names, ...others])].slice(0, MAX_NAMES);
}
