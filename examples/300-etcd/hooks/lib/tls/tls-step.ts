import { byNumber, clientUrl, hostOf, memberName, memberNumber } from '../cluster.ts';
import type { Member, Observed, Wanted } from '../observed.ts';
import { roll } from '../roll.ts';
import { wait, type Certify, type Step } from '../step.ts';
import { dueWhy, givenFor, isBelieved, isUsable, leftMs } from './due.ts';
import type { Given } from './given.ts';
import { isValidAt, type Both, type HeldPair } from './held.ts';
import { isTrusted } from './trust.ts';
import type { TlsView } from './view.ts';
import { lifetimesOf, missingNames } from './wanted.ts';

/** If clocks differ by more, a certificate that the operator makes may not be valid for the members. */
const MOST_SKEW_MS = 300_000;

/**
 * The step for certificates without which members cannot connect: missing, invalid, expired, or from an untrusted
 * authority.
 */
export function urgentTls(observed: Observed, wanted: Wanted, members: readonly Member[] = []): Step | undefined {
  const { tls, cluster } = observed;
  if (tls === undefined) return undefined;
  const missing = tls.given === undefined ? missingAuthority(observed, tls) : undefined;
  if (missing !== undefined) return guarded(tls, missing);
  const lacking = [cluster.name, ...namesToServe(observed)].find((name) => !isUsable(observed, tls, name));
  if (lacking === undefined) return undefined;
  const step = tls.given === undefined ? madeStep(observed, tls, lacking) : givenStep(observed, tls.given, lacking);
  if (step !== undefined) return step;
  // Members must trust the authority first.
  return (members.length > 0 ? roll(observed, wanted, members) : undefined) ?? blindRoll(observed, wanted);
}

function missingAuthority({ cluster, nowMs }: Observed, { held }: TlsView): Certify | undefined {
  const { signer, next } = held.authorities;
  if (isSigner(signer, nowMs) || isSigner(next, nowMs)) return undefined;
  // One that members trust stays, so that what it has signed is still believed.
  const what = signer === undefined ? 'authority' : 'next';
  return { do: 'certify', what, member: cluster.name, why: 'there is none that is valid' };
}

/** By an authority that all members trust; undefined where there is none. */
function madeStep(observed: Observed, tls: TlsView, lacking: string): Step | undefined {
  const { signer, next } = tls.held.authorities;
  const why = 'there was none that is valid and known';
  if (isSigner(signer, observed.nowMs) && isTrusted(observed, signer)) {
    return guarded(tls, { do: 'certify', what: 'leaf', member: lacking, why });
  }
  if (!isSigner(next, observed.nowMs) || !isTrusted(observed, next)) return undefined;
  return guarded(tls, { do: 'certify', what: 'switch', member: observed.cluster.name, why });
}

/** Uses the user's Secrets only if all of them are right; undefined until all members trust their authority. */
function givenStep(observed: Observed, given: Given, member: string): Step | undefined {
  const problem = givenProblem(observed, given);
  if (problem !== undefined) return wait('CertificatesRefused', problem);
  const source = givenFor(given, member === observed.cluster.name);
  if (source === undefined || !isBelieved(observed, source, member)) return undefined;
  return { do: 'certify', what: 'leaf', member, why: 'it was given' };
}

/** What is wrong with the user's Secrets, or the name of the member that their certificate lacks. */
function givenProblem(observed: Observed, { problem, members }: Given): string | undefined {
  if (problem !== undefined || members === undefined) return problem;
  const hosts = namesToServe(observed).map((name) => hostOf(observed.cluster, name));
  for (const [field, { certificate }] of [['server', members.client] as const, ['peer', members.peer] as const]) {
    const [missing] = missingNames(certificate, hosts);
    if (missing !== undefined) {
      return `the certificate of spec.tls.secrets.${field} is not for ${missing}: renew it with that name, or with *.${hosts[0]?.replace(/^[^.]*\./, '')}`;
    }
  }
  return undefined;
}

/** Without quorum, members are rolled all at once, because they cannot connect before each has the new authorities. */
function blindRoll({ parts, members }: Observed, { form }: Wanted): Step | undefined {
  const outdated = parts.find(({ set }) => set !== undefined && set.form !== form);
  return members === undefined && outdated !== undefined ? { do: 'roll', member: outdated.name } : undefined;
}

/**
 * What is renewed while all is well: the next authority joins, signs when all trust it, then each member gets another
 * certificate, one after the other, the leader last; the next when the one before shows it and answers.
 */
export function renewTls(observed: Observed, wanted: Wanted, members: readonly Member[]): Step | undefined {
  const { tls, cluster } = observed;
  if (tls === undefined) return undefined;
  const problem = tls.given && givenProblem(observed, tls.given);
  if (problem !== undefined) return wait('CertificatesRefused', problem);
  const step = tls.given === undefined ? authorityStep(observed, tls, wanted) : undefined;
  if (step !== undefined) return guarded(tls, step);
  const names = members.toSorted((a, b) => Number(a.isLeader) - Number(b.isLeader)).map(({ name }) => name);
  for (const member of [...names, cluster.name]) {
    const why = dueWhy(observed, wanted, member);
    if (why === undefined) continue;
    return pending(observed, tls, names) ?? guarded(tls, { do: 'certify', what: 'leaf', member, why });
  }
  return pending(observed, tls, names);
}

function authorityStep({ nowMs, cluster, ...rest }: Observed, tls: TlsView, { spec }: Wanted): Certify | undefined {
  const { signer, next, nextSinceMs } = tls.held.authorities;
  const { authorityMs, settleMs } = lifetimesOf(spec);
  const member = cluster.name;
  if (signer === undefined) return undefined;
  if (next === undefined) {
    const left = Math.min(leftMs(signer.client, nowMs), leftMs(signer.peer, nowMs));
    const why = 'the one of today is in the last third of its life';
    return left < authorityMs / 3 ? { do: 'certify', what: 'next', member, why } : undefined;
  }
  if (nowMs < nextSinceMs + settleMs || !isTrusted({ nowMs, cluster, ...rest }, next)) return undefined;
  return { do: 'certify', what: 'switch', member, why: 'all members trust it' };
}

/** The member that has a certificate which it does not show yet. */
function pending({ cluster }: Observed, { held, served }: TlsView, names: readonly string[]): Step | undefined {
  const late = names.find((name) => {
    const shown = served.get(clientUrl(cluster, name));
    return shown !== undefined && shown !== held.members.get(name)?.client.certificate.fingerprint256;
  });
  if (late === undefined) return undefined;
  const message = `${late} does not show its new certificate yet: its kubelet brings it within two minutes`;
  return wait('CertificatePending', message);
}

/** No certificate is made by a clock that etcd does not agree with. */
function guarded({ aheadMs }: TlsView, step: Certify): Step {
  if (Math.abs(aheadMs) <= MOST_SKEW_MS) return step;
  const [seconds, way] = [Math.round(Math.abs(aheadMs) / 1000), aheadMs > 0 ? 'behind' : 'ahead of'];
  return wait(
    'ClocksDiffer',
    `the clock of this operator is ${seconds}s ${way} those of the members, so no certificate is made: set the clocks of the nodes right`,
  );
}

function isSigner(both: Both<HeldPair> | undefined, nowMs: number): both is Both<HeldPair> {
  return both !== undefined && [both.client, both.peer].every(({ certificate }) => isValidAt(certificate, nowMs));
}

/** Members that need certificates: those that etcd lists; before that, those that there are, and the first one. */
function namesToServe({ cluster, members, parts }: Observed): readonly string[] {
  const there = parts.filter(({ set }) => set !== undefined);
  const names = members ?? (there.length === 0 ? [{ name: memberName(cluster, 0) }] : there);
  return names
    .toSorted(byNumber(cluster))
    .map(({ name }) => name)
    .filter((name) => memberNumber(cluster, name) !== undefined);
}
