/*
 * Decides what to do next about the self-made certificates, from what the Secret holds, the time, and whether the next
 * certificate authority is registered everywhere. It is pure; `carry-out.ts` makes the certificates, `self-made.ts`
 * writes them.
 *
 *   nothing usable ── renewAll ──► steady ── CA in the last third of its life ── addAuthority ──► joining
 *                                 │    ▲                                                            │
 *                  renewLeaf, forget   └───────────── promote: registered everywhere ───────────────┘
 *
 * What must hold: a leaf is made by an authority that is registered everywhere, unless nothing else is left to serve; an
 * authority is forgotten only when no leaf by it can be valid any more; and every replica decides the same, so that one
 * of them may act and the others find it done.
 */

import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Pair } from '../pair.ts';
import { isValidAt } from '../pem.ts';
import { namesOf } from '../names.ts';
import type { Held, Signer } from './held.ts';

export interface Lifetimes {
  readonly authorityMs: number;
  readonly leafMs: number;
  /** How far before the present a certificate begins to be valid, and how long an expired authority is kept. */
  readonly slackMs: number;
}

export interface Situation {
  readonly nowMs: number;
  readonly lifetimes: Lifetimes;
  /** The DNS names and IP addresses that the leaf must have. */
  readonly names: readonly string[];
  /** Whether this authority has been registered everywhere for the settle time. */
  readonly isSettled: (authority: X509Certificate) => boolean;
}

/** What to do; `why` completes "because". */
export type Step =
  | { readonly type: 'wait'; readonly untilMs: number }
  /** A new authority, and a leaf by it. */
  | { readonly type: 'renewAll'; readonly why: string }
  /** A new authority, which is only trusted for now. */
  | { readonly type: 'addAuthority'; readonly why: string }
  /** The next authority signs from now on, and makes a leaf. */
  | { readonly type: 'promote'; readonly next: Signer; readonly why: string }
  | { readonly type: 'renewLeaf'; readonly signer: Signer; readonly why: string }
  /** These authorities are trusted no longer. */
  | { readonly type: 'forget'; readonly authorities: readonly X509Certificate[]; readonly why: string };

/** More authorities than rotations can leave behind; then the first to expire is forgotten. */
const MAX_AUTHORITIES = 16;
/** A certificate is renewed when this part of its life is left. */
const DUE = 1 / 3;
/** The part of a leaf's life that is left when it is replaced even by an authority that is not registered everywhere. */
const URGENT = 1 / 6;
/** A new leaf must be valid longer than the one before by this part of its life. */
const GAIN = 1 / 10;

/** Returns the next step. */
export function nextStep(held: Held, situation: Situation): Step {
  const { nowMs } = situation;
  const leaf = held.leaf !== undefined && isValidAt(held.leaf.leaf, nowMs) ? held.leaf : undefined;
  const parts: Usable = { held, leaf, signer: usable(held.signer, nowMs), next: usable(held.next, nowMs) };
  return (
    withoutLeaf(parts, situation) ??
    promotion(parts, situation) ??
    addition(parts, situation) ??
    renewal(parts, situation) ??
    forgetting(parts, situation) ?? { type: 'wait', untilMs: nextDueMs(parts, situation) }
  );
}

/** When a leaf ends that this signer makes now: never after its signer. */
export function leafEndMs(signer: Signer, { nowMs, lifetimes }: Pick<Situation, 'nowMs' | 'lifetimes'>): number {
  return Math.min(nowMs + lifetimes.leafMs, endOf(signer.certificate));
}

/** The held parts that are valid now. */
interface Usable {
  readonly held: Held;
  readonly leaf: Pair | undefined;
  readonly signer: Signer | undefined;
  readonly next: Signer | undefined;
}

function withoutLeaf({ leaf, signer, next }: Usable, { isSettled }: Situation): Step | undefined {
  if (leaf !== undefined) return undefined;
  const why = 'there is no valid serving certificate';
  if (next !== undefined && (signer === undefined || isSettled(next.certificate)))
    return { type: 'promote', next, why };
  return signer === undefined ? { type: 'renewAll', why } : { type: 'renewLeaf', signer, why };
}

function promotion({ leaf, signer, next }: Usable, situation: Situation): Step | undefined {
  if (leaf === undefined || next === undefined) return undefined;
  if (situation.isSettled(next.certificate)) {
    return { type: 'promote', next, why: 'the next certificate authority is registered everywhere' };
  }
  const isUrgent = leftMs(leaf.leaf, situation) <= situation.lifetimes.leafMs * URGENT;
  return isUrgent && !gains(leaf, signer, situation)
    ? {
        type: 'promote',
        next,
        why: 'the serving certificate expires soon, although not all objects trust the next one',
      }
    : undefined;
}

function addition({ signer, next }: Usable, situation: Situation): Step | undefined {
  if (next !== undefined) return undefined;
  if (signer === undefined)
    return { type: 'addAuthority', why: 'there is no valid certificate authority with its key' };
  return leftMs(signer.certificate, situation) <= situation.lifetimes.authorityMs * DUE
    ? { type: 'addAuthority', why: 'the certificate authority is in the last third of its life' }
    : undefined;
}

function renewal({ leaf, signer }: Usable, situation: Situation): Step | undefined {
  if (leaf === undefined || signer === undefined) return undefined;
  if (!hasNames(leaf.leaf, situation.names)) {
    return { type: 'renewLeaf', signer, why: 'the serving certificate lacks a name' };
  }
  const isDue = leftMs(leaf.leaf, situation) <= situation.lifetimes.leafMs * DUE;
  return isDue && gains(leaf, signer, situation)
    ? { type: 'renewLeaf', signer, why: 'the serving certificate is in the last third of its life' }
    : undefined;
}

function forgetting({ held, signer, next }: Usable, { nowMs, lifetimes }: Situation): Step | undefined {
  const needed = [signer?.certificate, next?.certificate, held.issuer];
  const others = held.authorities.filter((authority) => !needed.includes(authority));
  const over = others.filter((authority) => endOf(authority) + lifetimes.slackMs <= nowMs);
  if (over.length > 0) return { type: 'forget', authorities: over, why: 'the certificate authority has expired' };
  if (held.authorities.length <= MAX_AUTHORITIES) return undefined;
  const first = others.toSorted((a, b) => endOf(a) - endOf(b)).slice(0, held.authorities.length - MAX_AUTHORITIES);
  return { type: 'forget', authorities: first, why: `there are more than ${MAX_AUTHORITIES} certificate authorities` };
}

function nextDueMs({ held, leaf, signer }: Usable, { nowMs, lifetimes }: Situation): number {
  const { authorityMs, leafMs, slackMs } = lifetimes;
  const times = [
    ...(leaf === undefined ? [] : [DUE, URGENT, 0].map((part) => endOf(leaf.leaf) - leafMs * part)),
    ...(signer === undefined ? [] : [DUE, 0].map((part) => endOf(signer.certificate) - authorityMs * part)),
    ...held.authorities.map((authority) => endOf(authority) + slackMs),
  ];
  return Math.min(...times.filter((time) => time > nowMs));
}

/** Whether a leaf that is made now is worth it. */
function gains(leaf: Pair, signer: Signer | undefined, situation: Situation): boolean {
  if (signer === undefined) return false;
  return leafEndMs(signer, situation) - endOf(leaf.leaf) >= situation.lifetimes.leafMs * GAIN;
}

function hasNames(leaf: X509Certificate, names: readonly string[]): boolean {
  const held = new Set(namesOf(leaf));
  return names.every((name) => held.has(name) || (isIP(name) !== 0 && leaf.checkIP(name) !== undefined));
}

function usable(signer: Signer | undefined, nowMs: number): Signer | undefined {
  return signer !== undefined && isValidAt(signer.certificate, nowMs) ? signer : undefined;
}

function leftMs(certificate: X509Certificate, { nowMs }: Situation): number {
  return endOf(certificate) - nowMs;
}

function endOf(certificate: X509Certificate): number {
  return certificate.validToDate.getTime();
}
