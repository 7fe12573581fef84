import { CredentialsError } from '../../errors.ts';
import { providerCredentials } from './auth-provider.ts';
import {
  bearerHeaders,
  caFileCredentials,
  certificateCredentials,
  decodePem,
  fixedCredentials,
  tokenFileCredentials,
  type CredentialSource,
  type Pem,
} from './credentials.ts';
import { execCredentials } from './exec-credentials.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts';
import type { Environment } from '../environment.ts';

/** The authority that a cluster's server certificate is checked against. */
export function authorityCredentials({ name, caData, caFile }: ClusterEntry): readonly CredentialSource[] {
  if (caData) return [fixedCredentials({ ca: decodePem(caData, `certificate-authority-data of cluster ${name}`) })];
  return caFile ? [caFileCredentials(caFile)] : [];
}

/** The surroundings of a kubeconfig user that its credentials may need. */
export interface UserContext {
  readonly cluster: ClusterEntry;
  readonly env: Environment;
  /** How long an exec plugin may run; default 60 s. */
  readonly pluginTimeoutMs?: number;
}

/** The sources of credentials of a kubeconfig user; a later source wins. */
export function userCredentials(user: UserEntry, context: UserContext): readonly CredentialSource[] {
  return [...certificate(user), ...basic(user), ...token(user, context), ...impersonation(user)];
}

function certificate({ name, certData, certFile, keyData, keyFile }: UserEntry): readonly CredentialSource[] {
  const hasCert = Boolean(certData || certFile);
  const hasKey = Boolean(keyData || keyFile);
  if (!hasCert && !hasKey) return [];
  if (hasCert !== hasKey) {
    const missing = hasKey ? 'client-certificate' : 'client-key';
    throw new CredentialsError(`kubeconfig user ${name}: ${missing} is missing; a client certificate needs both`);
  }
  const cert = pem(certData, certFile, `client-certificate-data of kubeconfig user ${name}`);
  const key = pem(keyData, keyFile, `client-key-data of kubeconfig user ${name}`);
  return [certificateCredentials(cert, key)];
}

function pem(data: string | undefined, path: string | undefined, what: string): Pem {
  return data ? { data: decodePem(data, what) } : { path: path ?? '' };
}

function basic({ username, password = '' }: UserEntry): readonly CredentialSource[] {
  if (!username) return [];
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  return [fixedCredentials({ headers: { authorization: `Basic ${pair}` } })];
}

function token(user: UserEntry, context: UserContext): readonly CredentialSource[] {
  if (user.tokenFile) return [tokenFileCredentials(user.tokenFile)];
  if (user.token)
    return [fixedCredentials({ headers: bearerHeaders(user.token.trim(), `token of kubeconfig user ${user.name}`) })];
  if (user.exec) return [execCredentials(user, context)];
  return user.authProvider ? [providerCredentials(user, context.env)] : [];
}

/** The characters that a header value may contain. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function impersonation(user: UserEntry): readonly CredentialSource[] {
  const { impersonateUser, impersonateUid, impersonateGroups, impersonateExtra = {} } = user;
  if (!impersonateUser) return [];
  const extra = Object.entries(impersonateExtra).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
    values,
  ]);
  const values = [impersonateUser, impersonateUid ?? '', ...(impersonateGroups ?? []), ...extra.flat(2)];
  if (!values.every((value) => HEADER_VALUE.test(value))) {
    throw new CredentialsError(
      `kubeconfig user ${user.name}: as, as-uid, as-groups and as-user-extra may not contain line breaks or control characters`,
    );
  }
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
