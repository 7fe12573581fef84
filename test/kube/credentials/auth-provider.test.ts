import { describe, expect, it } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import { providerCredentials } from '../../../src/kube/credentials/auth-provider.ts';

const user = (name: string, config: object) => ({ name: 'me', authProvider: { name, config } });

describe('an auth-provider', () => {
  it('with the name oidc gives its id-token', async () => {
    const claims = Buffer.from(JSON.stringify({ exp: 4e9 })).toString('base64url');
    const source = providerCredentials(user('oidc', { 'id-token': `a.${claims}.c` }), {});

    expect(await source.read()).toEqual({ headers: { authorization: `Bearer a.${claims}.c` } });
  });

  it.each([
    [
      'gcp',
      'kubeconfig user me: auth-provider "gcp" is not supported by Kubernetes; use the exec plugin gke-gcloud-auth-plugin: install it, then run gcloud container clusters get-credentials',
    ],
    [
      'azure',
      'kubeconfig user me: auth-provider "azure" is not supported by Kubernetes; use the exec plugin kubelogin: install it, then run kubelogin convert-kubeconfig',
    ],
    [
      'nobody',
      'kubeconfig user me: auth-provider "nobody" is not supported by Kubernetes; use an exec plugin or a token',
    ],
  ])('that Kubernetes does not have is an error with what to do: %s', (name, message) => {
    expect(() => providerCredentials(user(name, { 'access-token': 'secret' }), {})).toThrow(
      new CredentialsError(message),
    );
  });
});
