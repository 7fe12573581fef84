import { CredentialsError } from '../errors.ts';
import { providerCredentials } from './auth-provider.ts';
import {
  caFileCredentials,
  certificateCredentials,
  fixedCredentials,
  tokenFileCredentials,
  type CredentialSource,
  type Pem,
} from './credentials.ts';
import { execCredentials } from './exec-credentials.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts';
import type { Environment } from './environment.ts';

/** The authority that a cluster's server certificate is checked against. */
export function authorityCredentials({ caData, caFile }: ClusterEntry): readonly CredentialSource[] {
  if (caData) return [fixedCredentials({ ca: Buffer.from(caData, 'base64') })];
  return caFile ? [caFileCredentials(caFile)] : [];
}

export interface UserContext {
  readonly cluster: ClusterEntry;
  readonly env: Environment;
}

/** What a kubeconfig says of a user, as sources of credentials; the last one that has an answer counts. */
export function userCredentials(user: UserEntry, context: UserContext): readonly CredentialSource[] {
  return [...certificate(user), ...basic(user), ...token(user, context), ...impersonation(user)];
}

function certificate({ name, certData, certFile, keyData, keyFile }: UserEntry): readonly CredentialSource[] {
  const cert = pem(certData, certFile);
  const key = pem(keyData, keyFile);
  if (cert === undefined && key === undefined) return [];
  if (cert !== undefined && key !== undefined) return [certificateCredentials(cert, key)];
  const missing = cert === undefined ? 'client-certificate' : 'client-key';
  throw new CredentialsError(`kubeconfig user ${name}: ${missing} is missing; a client certificate needs both`);
}

function pem(data: string | undefined, path: string | undefined): Pem | undefined {
  if (data) return { data: Buffer.from(data, 'base64') };
  return path ? { path } : undefined;
}

function basic({ username, password = '' }: UserEntry): readonly CredentialSource[] {
  if (!username) return [];
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  return [fixedCredentials({ headers: { authorization: `Basic ${pair}` } })];
}

function token(user: UserEntry, context: UserContext): readonly CredentialSource[] {
  if (user.tokenFile) return [tokenFileCredentials(user.tokenFile)];
  if (user.token) return [fixedCredentials({ headers: { authorization: `Bearer ${user.token.trim()}` } })];
  if (user.exec) return [execCredentials(user, context)];
  return user.authProvider ? [providerCredentials(user, context.env)] : [];
}

function impersonation(user: UserEntry): readonly CredentialSource[] {
  const { impersonateUser, impersonateUid, impersonateGroups, impersonateExtra = {} } = user;
  if (!impersonateUser) return [];
  const extra = Object.entries(impersonateExtra).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
    values,
  ]);
  return [
    fixedCredentials({
      headers: {
        'impersonate-user': impersonateUser,
        ...(impersonateUid === undefined ? {} : { 'impersonate-uid': impersonateUid }),
        ...(impersonateGroups === undefined ? {} : { 'impersonate-group': impersonateGroups }),
        ...Object.fromEntries(extra),
      },
    }),
  ];
}
