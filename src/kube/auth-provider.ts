import { CredentialsError } from '../errors.ts';
import type { CredentialSource } from './credentials.ts';
import { expiringCredentials, type ExpiringPart } from './expiring-credentials.ts';
import type { UserEntry } from './kubeconfig-file.ts';
import type { KubeConfig } from './client-node.ts';

/** How long a token is kept whose expiry cannot be read. */
const OPAQUE_TOKEN_MS = 60_000;

/** The token of an `auth-provider` (OIDC and the cloud ones), which client-node obtains and refreshes. */
export function providerCredentials(user: UserEntry): CredentialSource {
  let provider: KubeConfig | undefined;
  return expiringCredentials(async () => {
    provider ??= await loadProvider(user);
    return obtain(provider, user.name);
  });
}

async function loadProvider({ name, authProvider }: UserEntry): Promise<KubeConfig> {
  const { KubeConfig } = await import('./client-node.ts');
  const provider = new KubeConfig();
  // The address is never called.
  provider.loadFromClusterAndUser({ name, server: 'https://localhost', skipTLSVerify: false }, { name, authProvider });
  return provider;
}

async function obtain(provider: KubeConfig, user: string): Promise<ExpiringPart> {
  const options: { headers?: Record<string, unknown> } = {};
  try {
    await provider.applyToHTTPSOptions(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CredentialsError(`auth-provider of kubeconfig user ${user} failed: ${reason}`, { cause: error });
  }
  const authorization = options.headers?.['Authorization'];
  if (typeof authorization !== 'string') {
    throw new CredentialsError(
      `auth-provider of kubeconfig user ${user} gave no token: is it expired, and is there a refresh-token?`,
    );
  }
  return { part: { headers: { authorization } }, expiresAt: expiryOf(authorization) };
}

function expiryOf(authorization: string): number {
  const payload = authorization.split('.')[1] ?? '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims === 'object' && claims !== null && 'exp' in claims && typeof claims.exp === 'number') {
      return claims.exp * 1000;
    }
  } catch {
    // Not a JSON web token.
  }
  return Date.now() + OPAQUE_TOKEN_MS;
}
