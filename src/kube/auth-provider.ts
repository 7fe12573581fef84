import { CredentialsError } from '../errors.ts';
import type { KubeConfig } from './client-node.ts';
import type { CredentialSource } from './credentials.ts';
import { expiringCredentials, type ExpiringPart } from './expiring-credentials.ts';
import type { UserEntry } from './kubeconfig-file.ts';
import type { Environment } from './environment.ts';
import { oidcCredentials, type OidcConfig } from './oidc-credentials.ts';
import { bearerPart } from './token-expiry.ts';

interface AuthProviderEntry {
  readonly name?: string;
  readonly config?: OidcConfig | null;
}

/** The token of a kubeconfig user's `auth-provider`: OIDC, or one of the clouds' former ones (`azure`, `gcp`). */
export function providerCredentials(user: UserEntry, env: Environment): CredentialSource {
  const { name, config } = user.authProvider as AuthProviderEntry;
  // client-node hands the issuer to its OpenID library in a form that the library refuses.
  if (name === 'oidc') return oidcCredentials(config ?? {}, { user: user.name, env });
  let provider: KubeConfig | undefined;
  return expiringCredentials(async () => {
    provider ??= await loadProvider(user);
    return obtain(provider, `auth-provider ${name} of kubeconfig user ${user.name}`);
  });
}

async function loadProvider({ name, authProvider }: UserEntry): Promise<KubeConfig> {
  const { KubeConfig } = await import('./client-node.ts');
  const provider = new KubeConfig();
  // The address is never called.
  provider.loadFromClusterAndUser({ name, server: 'https://localhost', skipTLSVerify: false }, { name, authProvider });
  return provider;
}

async function obtain(provider: KubeConfig, what: string): Promise<ExpiringPart> {
  const options: { headers?: Record<string, unknown> } = {};
  try {
    await provider.applyToHTTPSOptions(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CredentialsError(`${what} failed: ${reason}`, { cause: error });
  }
  const authorization = options.headers?.['Authorization'];
  if (typeof authorization === 'string')
    return bearerPart(authorization.replace(/^Bearer /, ''), `the token of ${what}`);
  throw new CredentialsError(`${what} gave no token; use an exec plugin or a token instead`);
}
