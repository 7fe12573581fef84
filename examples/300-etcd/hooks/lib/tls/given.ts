import type { X509Certificate } from 'node:crypto';
import type { KubernetesObject } from 'hooklet';
import { GROUP, type TlsOptions } from '../cluster.ts';
import { certificatesIn, dataOf, isIssuedBy, isValidAt, pairIn, textIn, type Both, type HeldPair } from './held.ts';

/** On a Secret: the EtcdCluster whose certificates it has. */
export const CERTIFICATES_OF = `${GROUP}/certificates-of`;

/** The user's certificates, which are used only if there is no problem. */
export interface Given {
  readonly problem: string | undefined;
  readonly members: Both<HeldPair> | undefined;
  readonly client: HeldPair | undefined;
  readonly authorities: Both<readonly X509Certificate[]>;
}

type Names = NonNullable<TlsOptions['secrets']>;

/** Reads the user's Secrets. `problem` lists all that is wrong with them; then none of them is used. */
export function givenIn(names: Names, secrets: readonly KubernetesObject[], nowMs: number): Given {
  const parts = {
    server: partOf('server', names.server, { secrets, nowMs }),
    peer: partOf('peer', names.peer, { secrets, nowMs }),
    client: partOf('client', names.client, { secrets, nowMs }),
  };
  const problems = [
    ...new Set(Object.values(parts).flatMap(({ problem }) => (problem === undefined ? [] : [problem]))),
  ];
  const { server, peer, client } = parts;
  return {
    problem: problems.length === 0 ? undefined : problems.join('; '),
    members: server.pair && peer.pair && { client: server.pair, peer: peer.pair },
    client: client.pair,
    authorities: { client: [...server.authorities, ...client.authorities], peer: peer.authorities },
  };
}

interface Part {
  readonly pair: HeldPair | undefined;
  readonly authorities: readonly X509Certificate[];
  readonly problem: string | undefined;
}

interface At {
  readonly secrets: readonly KubernetesObject[];
  readonly nowMs: number;
}

function partOf(field: string, name: string, { secrets, nowMs }: At): Part {
  const secret = secrets.find(({ metadata }) => metadata.name === name);
  const data = secret === undefined ? {} : dataOf(secret);
  const pair = pairIn(data, 'tls');
  const authorities = certificatesIn(textIn(data, 'ca.crt'));
  const where = `Secret ${name} (spec.tls.secrets.${field})`;
  if (secret === undefined) {
    const problem = `there is no ${where} with the label ${CERTIFICATES_OF}: make it, or label it with the name of this EtcdCluster`;
    return { pair, authorities, problem };
  }
  return { pair, authorities, problem: pairProblem(where, { pair, authorities, nowMs }) };
}

interface Judged {
  readonly pair: HeldPair | undefined;
  readonly authorities: readonly X509Certificate[];
  readonly nowMs: number;
}

function pairProblem(where: string, { pair, authorities, nowMs }: Judged): string | undefined {
  if (pair === undefined) return `${where} has no tls.crt with the tls.key of it: put both there, as PEM`;
  const { certificate } = pair;
  if (!isValidAt(certificate, nowMs)) {
    return `the certificate in ${where} is valid from ${certificate.validFrom} to ${certificate.validTo}, and not now: renew it`;
  }
  const issuer = authorities.find((authority) => isIssuedBy(certificate, authority));
  if (issuer !== undefined && isValidAt(issuer, nowMs)) return undefined;
  return `ca.crt of ${where} has no valid authority that has signed its tls.crt: put it there`;
}
