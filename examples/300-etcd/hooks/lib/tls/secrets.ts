import type { NewObject } from 'hooklet';
import { memberNumber, type ClusterName } from '../cluster.ts';
import { CLUSTER_LABEL } from '../form.ts';
import type { Observed, Wanted } from '../observed.ts';
import type { Certify, Step } from '../step.ts';
import { makeAuthority, makeLeaf, type Pair } from './certificate.ts';
import { givenFor } from './due.ts';
import {
  authoritySecret,
  clientSecret,
  endMs,
  memberSecret,
  type Both,
  type HeldPair,
  type SecretData,
} from './held.ts';
import type { TlsView } from './view.ts';
import { lifetimesOf, namesOf, SLACK_MS } from './wanted.ts';

/** The Secrets of a cluster: as they are, but for what a step makes anew. */
export function secretsOf(observed: Observed, wanted: Wanted, step: Step): readonly NewObject[] {
  const { tls, cluster } = observed;
  if (tls === undefined) return [];
  const { data } = tls.held;
  const made = step.do === 'certify' ? madeBy(observed, wanted, step) : {};
  const authority = { ...data.get(authoritySecret(cluster.name)), ...made.authority };
  const client = { ...data.get(clientSecret(cluster.name)), ...made.client };
  const members = membersServed(observed, step).map((member) => {
    const secret = { ...data.get(memberSecret(member)), ...made.member?.[member] };
    return secretOf(cluster, memberSecret(member), secret);
  });
  return [
    // With the user's certificates there is no authority of the operator's own.
    ...(tls.given === undefined ? [secretOf(cluster, authoritySecret(cluster.name), authority)] : []),
    secretOf(cluster, clientSecret(cluster.name), withAuthorities(client, wanted.trust?.client ?? '')),
    ...members,
  ].filter((secret) => Object.keys(secret['data'] ?? {}).length > 0);
}

/** Clients trust the next authority before a member presents a certificate of it. */
function withAuthorities(client: SecretData, authorities: string): SecretData {
  return Object.keys(client).length === 0 ? client : { ...client, 'ca.crt': base64(authorities) };
}

/** Members with a Secret: those in the member list; without quorum, those that have one and the one that gets it now. */
function membersServed({ cluster, members, tls }: Observed, step: Step): readonly string[] {
  const held = [...(tls?.held.data.keys() ?? [])].map((name) => name.replace(/-tls$/, ''));
  const made = step.do === 'certify' ? [step.member] : [];
  const names = members === undefined ? [...held, ...made] : members.map(({ name }) => name);
  return [...new Set(names)].filter((name) => memberNumber(cluster, name) !== undefined);
}

interface Made {
  readonly authority?: SecretData;
  readonly client?: SecretData;
  readonly member?: Readonly<Record<string, SecretData>>;
}

function madeBy(observed: Observed, wanted: Wanted, step: Certify): Made {
  const { cluster, nowMs, tls } = observed;
  if (tls === undefined) return {};
  const now = base64(new Date(nowMs).toISOString());
  switch (step.what) {
    case 'authority':
      return { authority: { ...fieldsOf(authoritiesOf(observed, wanted), ['client', 'peer']), since: now } };
    case 'next': {
      const next = fieldsOf(authoritiesOf(observed, wanted), ['next-client', 'next-peer']);
      return { authority: { ...next, 'next-since': now } };
    }
    case 'switch':
      return { authority: switched(tls, wanted, nowMs) };
    case 'leaf': {
      const leaf = leafFor(observed, wanted, step.member);
      if (leaf === undefined) return {};
      if (step.member === cluster.name) return { client: { ...fieldsOf(leaf, ['tls']), issued: now } };
      return { member: { [step.member]: { ...fieldsOf(leaf, ['server', 'peer']), issued: now } } };
    }
  }
}

/** The next authority signs from now on. It has settled, so that it need not do that again. */
function switched({ held }: TlsView, { spec }: Wanted, nowMs: number): SecretData {
  const { next } = held.authorities;
  const since = base64(new Date(nowMs - lifetimesOf(spec).settleMs).toISOString());
  const gone = {
    'next-client.crt': '',
    'next-client.key': '',
    'next-peer.crt': '',
    'next-peer.key': '',
    'next-since': '',
  };
  return next === undefined ? {} : { ...gone, ...fieldsOf(next, ['client', 'peer']), since };
}

function authoritiesOf({ cluster, nowMs }: Observed, { spec }: Wanted): Both<Pair> {
  const lifetime = { notBeforeMs: nowMs - SLACK_MS, notAfterMs: nowMs + lifetimesOf(spec).authorityMs };
  const name = `${cluster.namespace}/${cluster.name}`;
  return { client: makeAuthority(`${name} clients`, lifetime), peer: makeAuthority(`${name} peers`, lifetime) };
}

/** By the signer, never longer than that is valid; or what the user gave. */
function leafFor({ cluster, nowMs, tls }: Observed, { spec }: Wanted, name: string): Both<Pair> | undefined {
  const isClient = name === cluster.name;
  if (tls?.given !== undefined) return givenFor(tls.given, isClient);
  const signer = tls?.held.authorities.signer;
  if (signer === undefined) return undefined;
  const lifetime = (pair: HeldPair) => ({
    notBeforeMs: nowMs - SLACK_MS,
    notAfterMs: Math.min(nowMs + lifetimesOf(spec).leafMs, endMs(pair)),
  });
  const names = isClient ? [] : namesOf(cluster, name, spec);
  const commonName = isClient ? CLIENT_USER : '';
  return {
    client: makeLeaf(signer.client, { commonName, names, ...lifetime(signer.client) }),
    peer: makeLeaf(signer.peer, { commonName, names, ...lifetime(signer.peer) }),
  };
}

/** Where authentication of etcd is on, this user may do everything; so the operator still may, too. */
const CLIENT_USER = 'root';

function fieldsOf({ client, peer }: Both<Pair>, names: readonly string[]): SecretData {
  const entries = [client, peer].slice(0, names.length).flatMap(({ cert, key }, at) => [
    [`${names[at]}.crt`, base64(cert)],
    [`${names[at]}.key`, base64(key)],
  ]);
  return Object.fromEntries(entries);
}

function secretOf(cluster: ClusterName, name: string, data: SecretData): NewObject {
  const present = Object.entries(data).filter(([, value]) => value !== '');
  const labels = { [CLUSTER_LABEL]: cluster.name };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, data: Object.fromEntries(present) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
