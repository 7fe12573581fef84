import type { ConditionToSet } from 'hooklet';
import type { Observed, Wanted } from '../observed.ts';
import type { Step } from '../step.ts';
import { endMs } from './held.ts';
import { DEFAULT_AUTHORITY_DURATION, DEFAULT_DURATION, lifetimesOf } from './wanted.ts';

const CONDITION = 'CertificatesValid';
/** What keeps certificates from being made. */
const HINDRANCES = new Set(['CertificatesRefused', 'ClocksDiffer']);
/** It is renewed with a third of its life left; with a sixth left something is in the way. */
const LATE = 6;

/** Until when what members, clients and authorities show is valid; no condition without TLS. */
export function certificatesOf(observed: Observed, wanted: Wanted, step: Step): readonly ConditionToSet[] {
  const { tls, nowMs } = observed;
  if (tls === undefined) return [];
  if (step.do === 'wait' && HINDRANCES.has(step.reason)) return [condition('False', step.reason, step.message)];
  const { first, firstMs } = soonest(observed);
  if (first === '') return [condition('False', 'NoCertificates', 'none was made yet')];
  const until = new Date(firstMs).toISOString();
  if (firstMs <= nowMs) return [condition('False', 'Expired', `the certificate of ${first} was valid until ${until}`)];
  const { leafMs } = lifetimesOf(wanted.spec);
  if (firstMs - nowMs < leafMs / LATE) {
    const source =
      tls.given === undefined ? 'see Ready for what keeps it from being renewed' : 'renew it in its Secret';
    return [condition('False', 'Expiring', `the certificate of ${first} is valid until ${until} only: ${source}`)];
  }
  return [condition('True', 'Valid', `the first that ends is that of ${first}, on ${until}${renewal(wanted)}`)];
}

/** What the next ones will be, where they are not those of the user. */
function renewal({ spec: { tls = {} } }: Wanted): string {
  const { secrets, duration = DEFAULT_DURATION, authorityDuration = DEFAULT_AUTHORITY_DURATION } = tls;
  return secrets === undefined
    ? `; the next are valid for ${duration}, and the next authority for ${authorityDuration}`
    : '';
}

/** When the first certificate ends, and when the authorities do. */
export function tlsStatus(observed: Observed): Readonly<Record<string, unknown>> {
  const { tls } = observed;
  if (tls === undefined) return {};
  const { first, firstMs } = soonest(observed);
  const { signer } = tls.held.authorities;
  const authorities = [signer?.client, signer?.peer].flatMap((pair) => (pair === undefined ? [] : [endMs(pair)]));
  return {
    tls: {
      ...(first !== '' && { certificatesUntil: new Date(firstMs).toISOString() }),
      ...(authorities.length > 0 && { authoritiesUntil: new Date(Math.min(...authorities)).toISOString() }),
    },
  };
}

function soonest({ tls, cluster }: Observed): { readonly first: string; readonly firstMs: number } {
  const members = [...(tls?.held.members ?? [])].map(([name, both]) => [name, endMs(both.client), endMs(both.peer)]);
  const all = [
    ...members,
    ...(tls?.held.client === undefined ? [] : [[cluster.name, endMs(tls.held.client)] as const]),
  ];
  let found = { first: '', firstMs: Number.POSITIVE_INFINITY };
  for (const [name, ...ends] of all) {
    const ms = Math.min(...ends.map(Number));
    if (ms < found.firstMs) found = { first: String(name), firstMs: ms };
  }
  return found;
}

function condition(status: 'True' | 'False', reason: string, message: string): ConditionToSet {
  return { type: CONDITION, status, reason, message };
}
