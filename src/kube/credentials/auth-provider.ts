import { CredentialsError } from '../../errors.ts';
import type { CredentialSource } from './credentials.ts';
import type { Environment } from '../environment.ts';
import type { UserEntry } from './kubeconfig-file.ts';
import { oidcCredentials, type OidcConfig } from './oidc-credentials.ts';

interface AuthProviderEntry {
  readonly name?: string;
  readonly config?: OidcConfig | null;
}

/** The exec plugins that replace the providers removed in Kubernetes 1.26. */
const PLUGINS: ReadonlyMap<string, string> = new Map([
  ['gcp', 'gke-gcloud-auth-plugin: install it, then run gcloud container clusters get-credentials'],
  ['azure', 'kubelogin: install it, then run kubelogin convert-kubeconfig'],
]);

/** The token source for a kubeconfig user's `auth-provider`; Kubernetes supports only `oidc`. */
export function providerCredentials(user: UserEntry, env: Environment): CredentialSource {
  const { name = '', config } = user.authProvider as AuthProviderEntry;
  if (name === 'oidc') return oidcCredentials(config ?? {}, { user: user.name, env });
  const plugin = PLUGINS.get(name);
  const advice = plugin === undefined ? 'use an exec plugin or a token' : `use the exec plugin ${plugin}`;
  throw new CredentialsError(
    `kubeconfig user ${user.name}: auth-provider ${JSON.stringify(name)} is not supported by Kubernetes; ${advice}`,
  );
}
