import { afterEach, describe, expect, it } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import { oidcCredentials, type OidcConfig } from '../../../src/kube/credentials/oidc-credentials.ts';
import type { CredentialSource } from '../../../src/kube/credentials/credentials.ts';
import { json, startServer, type ScriptedServer } from '../../support/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const nowSeconds = Math.floor(Date.now() / 1000);

/** An unsigned token; only the issuer verifies signatures. */
function token(claims: object): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'RS256', kid: '1' })}.${encode(claims)}.c2ln`;
}

let forms: unknown[] = [];

/** An issuer that returns numbered tokens, and records the requests. */
async function startIssuer(lifeSeconds: number): Promise<ScriptedServer> {
  forms = [];
  const server = await startServer(
    (request, response) => {
      const issuer = server.url.origin;
      if (request.url !== '/token') {
        json(response, 200, { issuer, token_endpoint: `${issuer}/token` });
        return;
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const form = new URLSearchParams(Buffer.concat(chunks).toString());
        const { grant_type, refresh_token, client_id, client_secret } = Object.fromEntries(form);
        forms.push({ grant_type, refresh_token, client_id, client_secret });
        const claims = { iss: issuer, sub: `user ${forms.length}`, exp: nowSeconds + lifeSeconds };
        if (refresh_token === 'bad') json(response, 400, { error: 'invalid_grant' });
        else json(response, 200, { id_token: token(claims), refresh_token: `r ${forms.length}` });
      });
    },
    { protocol: 'https' },
  );
  cleanups.push(() => server.close());
  return server;
}

function source(server: ScriptedServer, config: OidcConfig) {
  return oidcCredentials(
    {
      'client-id': 'hooks',
      'refresh-token': 'r 0',
      'idp-issuer-url': server.url.origin,
      'idp-certificate-authority-data': Buffer.from(server.certificate.cert).toString('base64'),
      ...config,
    },
    { user: 'me', env: {} },
  );
}

/** Reads the subject of a token. */
async function subject(credentials: CredentialSource): Promise<unknown> {
  const { headers } = await credentials.read();
  const [, payload = ''] = String(headers?.['authorization']).split('.');
  const claims: { readonly sub?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return claims.sub;
}

const expired = { 'id-token': token({ sub: 'expired', exp: nowSeconds - 1 }) };

describe('an OIDC provider', () => {
  it('gives the token of the kubeconfig as long as it is valid', async () => {
    const server = await startIssuer(3600);
    const credentials = source(server, { 'id-token': token({ sub: 'valid', exp: nowSeconds + 3600 }) });

    expect([await subject(credentials), await subject(credentials)]).toEqual(['valid', 'valid']);
    expect(server.asked).toEqual([]);
  });

  it('refreshes an expired token, once for many requests, and keeps what it got', async () => {
    const server = await startIssuer(3600);
    const credentials = source(server, expired);

    const subjects = await Promise.all(Array.from({ length: 5 }, () => subject(credentials)));
    subjects.push(await subject(credentials));

    expect(new Set(subjects)).toEqual(new Set(['user 1']));
  });

  it('refreshes a token that was refused, with the newest refresh token', async () => {
    const server = await startIssuer(3600);
    const credentials = source(server, expired);
    const subjects = [await subject(credentials)];
    credentials.invalidate();
    subjects.push(await subject(credentials));

    expect(subjects).toEqual(['user 1', 'user 2']);
    expect(forms).toEqual([
      { grant_type: 'refresh_token', refresh_token: 'r 0', client_id: 'hooks', client_secret: undefined },
      { grant_type: 'refresh_token', refresh_token: 'r 1', client_id: 'hooks', client_secret: undefined },
    ]);
  });

  it.each([
    [
      'has no refresh token',
      { 'refresh-token': '' },
      /the id-token is expired or refused, and to get a new one .* log in again$/,
    ],
    ['is not reached', { 'idp-issuer-url': 'https://127.0.0.1:1' }, /cannot refresh the token: connect ECONNREFUSED/],
    ['does not accept the token', { 'refresh-token': 'bad' }, /\/token answered 400: \{"error":"invalid_grant"\}$/],
    ['is not trusted', { 'idp-certificate-authority-data': '' }, /cannot refresh the token: .*certificate/],
  ])('whose issuer %s is an error', async (_title, config, message) => {
    const server = await startIssuer(3600);
    const credentials = source(server, { ...expired, ...config });

    await expect(credentials.read()).rejects.toThrow(CredentialsError);
    await expect(credentials.read()).rejects.toThrow(message);
  });
});
