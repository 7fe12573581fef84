import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';

import { createCluster, type Cluster } from './cluster.ts';
import { caFileCredentials, tokenFileCredentials } from './credentials.ts';
import type { Environment } from './environment.ts';

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly env: Environment;
  /** Where a pod finds its service account. */
  readonly serviceAccountDir?: string | undefined;
}

/** The cluster this pod runs in, by its service account; undefined outside of a pod. */
export async function loadInCluster({
  env,
  serviceAccountDir = SERVICE_ACCOUNT_DIR,
}: InClusterOptions): Promise<Cluster | undefined> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '') return undefined;
  const token = tokenFileCredentials(join(serviceAccountDir, 'token'));
  // Fails here, not at the first request, where the account is not mounted.
  await token.read();

  const namespace = await readNamespace(join(serviceAccountDir, 'namespace'));
  return createCluster(
    {
      name: 'in-cluster',
      server: new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`),
      ...(namespace === '' ? {} : { namespace }),
    },
    [caFileCredentials(join(serviceAccountDir, 'ca.crt')), token],
  );
}

async function readNamespace(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return '';
  }
}
