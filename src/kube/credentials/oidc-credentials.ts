/*
 * The token source for a kubeconfig user with the `oidc` auth-provider. `expiringCredentials` calls it when there is no
 * token, when the token is about to expire, and after a 401. The first call returns the id-token of the kubeconfig if
 * it is still valid; every later call refreshes: it reads the issuer's metadata, then asks its token endpoint for a new
 * id-token. A rotated refresh token is held in memory only, because hooklet never writes a kubeconfig.
 */

import { CredentialsError } from '../../errors.ts';
import { shown, shownText } from '../../lib/shown.ts';
import { messageOf } from '../../lib/message-of.ts';
import { readWhole } from '../http/body.ts';
import { asJsonObject } from '../object.ts';
import { connect } from '../http/connect.ts';
import type { CredentialSource } from './credentials.ts';
import { expiringCredentials, type ExpiringPart } from './expiring-credentials.ts';
import type { HttpRequest } from '../http/http.ts';
import { createHttp1 } from '../http/http1.ts';
import type { Environment } from '../environment.ts';
import { readSmallFile } from './read-file.ts';
import { proxyFromEnvironment } from './proxy.ts';
import { bearerPart } from './token-expiry.ts';

const TIMEOUT_MS = 30_000;
/** Limit for a response of the issuer, and for the file of its certificate authority. */
const MAX_BYTES = 1024 * 1024;

/** The `config` of a kubeconfig user's `auth-provider` with the name `oidc`. */
export type OidcConfig = Readonly<Record<string, string | undefined>>;

/** The surroundings of a kubeconfig user with the oidc auth-provider. */
export interface OidcContext {
  /** The name of the kubeconfig user, for errors. */
  readonly user: string;
  readonly env: Environment;
}

/**
 * OpenID Connect tokens: first the one in the kubeconfig while it is valid, then those that the issuer returns for the
 * refresh token. Where the issuer accepts a refresh token only once, the kubeconfig must hold a fresh one at each
 * start.
 */
export function oidcCredentials(config: OidcConfig, context: OidcContext): CredentialSource {
  let refreshToken = config['refresh-token'] ?? '';
  let given = config['id-token'] ?? '';
  return expiringCredentials(async () => {
    const part = given === '' ? undefined : bearerPart(given, `id-token of kubeconfig user ${context.user}`);
    // Used once: a second call means that the token is about to expire or was refused.
    given = '';
    if (part !== undefined && part.expiresAt > Date.now()) return part;
    const tokens = await refresh(config, refreshToken, context);
    refreshToken = tokens.refreshToken ?? refreshToken;
    return tokens.part;
  });
}

interface Tokens {
  readonly part: ExpiringPart;
  readonly refreshToken: string | undefined;
}

async function refresh(config: OidcConfig, refreshToken: string, context: OidcContext): Promise<Tokens> {
  const { 'idp-issuer-url': issuer = '', 'client-id': clientId = '', 'client-secret': secret } = config;
  const where = `oidc auth-provider of kubeconfig user ${context.user}`;
  if (refreshToken === '' || issuer === '' || clientId === '') {
    throw new CredentialsError(
      `${where}: the id-token is expired or refused, and to get a new one idp-issuer-url, client-id and refresh-token are needed; log in again`,
    );
  }
  try {
    const issuerClient = { ca: await readAuthority(config), env: context.env };
    const metadata = await ask(issuerClient, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const answer = await ask(issuerClient, text(metadata, 'token_endpoint'), {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: clientId,
      ...(secret ? { client_secret: secret } : {}),
    });
    const renewed = answer['refresh_token'];
    return {
      part: bearerPart(text(answer, 'id_token'), "the issuer's id_token"),
      refreshToken: typeof renewed === 'string' ? renewed : undefined,
    };
  } catch (error) {
    const reason = messageOf(error);
    throw new CredentialsError(`${where}: cannot refresh the token: ${reason}`, { cause: error });
  }
}

async function readAuthority(config: OidcConfig): Promise<Uint8Array | undefined> {
  const { 'idp-certificate-authority-data': data, 'idp-certificate-authority': path } = config;
  if (data) return Buffer.from(data, 'base64');
  return path ? readSmallFile(path, MAX_BYTES) : undefined;
}

interface IssuerClient {
  readonly ca: Uint8Array | undefined;
  readonly env: Environment;
}

async function ask(
  { ca, env }: IssuerClient,
  address: string,
  form?: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`${shown(address)} is not an http or https URL`);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const tls = ca === undefined ? {} : { ca };
  const connections = createHttp1(url, () =>
    connect({ server: url, proxy: proxyFromEnvironment(url, env), tls, protocols: [] }),
  );
  try {
    const response = await connections.send(encode(url, form), signal);
    const body = (await readWhole(response, { signal, maxBytes: MAX_BYTES })).toString('utf8');
    if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${shownText(body, 300)}`);
    return asJsonObject(JSON.parse(body));
  } finally {
    connections.close();
  }
}

function encode(url: URL, form: Readonly<Record<string, string>> | undefined): HttpRequest {
  const path = `${url.pathname}${url.search}`;
  const accept = 'application/json';
  if (form === undefined) return { method: 'GET', path, headers: { accept } };
  return {
    method: 'POST',
    path,
    headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...form }).toString(),
  };
}

function text(answer: Readonly<Record<string, unknown>>, field: string): string {
  const value = answer[field];
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`the issuer's answer has no ${field}`);
}
