import { describe, expect, it } from 'vitest';

import { CredentialsError } from '../../src/errors.ts';
import { providerCredentials } from '../../src/kube/auth-provider.ts';

const user = (name: string, config: object) => ({ name: 'me', authProvider: { name, config } });

describe('an auth-provider', () => {
  it('with the name oidc gives its id-token', async () => {
    const claims = Buffer.from(JSON.stringify({ exp: 4e9 })).toString('base64url');
    const source = providerCredentials(user('oidc', { 'id-token': `a.${claims}.c` }), {});

    expect(await source.read()).toEqual({ headers: { authorization: `Bearer a.${claims}.c` } });
  });

  it('of a cloud is asked as client-node does', async () => {
    const source = providerCredentials(user('gcp', { 'access-token': 'secret' }), {});

    expect(await source.read()).toEqual({ headers: { authorization: 'Bearer secret' } });
  });

  it('that fails is an error', async () => {
    const expired = providerCredentials(user('gcp', { 'access-token': 'x', expiry: '2020-01-01T00:00:00Z' }), {});
    const unknown = providerCredentials(user('nobody', {}), {});

    await expect(expired.read()).rejects.toThrow(
      new CredentialsError('auth-provider gcp of kubeconfig user me failed: Token is expired!'),
    );
    await expect(unknown.read()).rejects.toThrow(
      'auth-provider nobody of kubeconfig user me gave no token; use an exec plugin or a token instead',
    );
  });
});
