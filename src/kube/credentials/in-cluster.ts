import { isIPv6 } from 'node:net';
import { join } from 'node:path';

import { CredentialsError } from '../../errors.ts';
import { shown } from '../../lib/shown.ts';
import { pathSegmentProblem } from '../../lib/path-segment.ts';
import { createCluster, type Cluster } from './cluster.ts';
import { caFileCredentials, tokenFileCredentials } from './credentials.ts';
import type { Environment } from '../environment.ts';
import { readSmallFile } from './read-file.ts';

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly env: Environment;
  /** The directory where the service account is mounted. */
  readonly serviceAccountDir?: string | undefined;
}

/** The cluster this pod runs in, with its service account; undefined outside a pod. */
export async function loadInCluster({
  env,
  serviceAccountDir = SERVICE_ACCOUNT_DIR,
}: InClusterOptions): Promise<Cluster | undefined> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '') return undefined;
  const token = tokenFileCredentials(join(serviceAccountDir, 'token'));
  // Fails here, not at the first request, when the service account is not mounted.
  await token.read();

  const server = URL.parse(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`);
  if (server === null) {
    const got = `${shown(host)} and ${shown(port)}`;
    throw new CredentialsError(`KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: got ${got}, expected an address`);
  }
  const namespace = await readNamespace(join(serviceAccountDir, 'namespace'));
  return createCluster(
    {
      name: 'in-cluster',
      server,
      ...(namespace === '' ? {} : { namespace }),
    },
    [caFileCredentials(join(serviceAccountDir, 'ca.crt')), token],
  );
}

const MAX_NAMESPACE_BYTES = 1024;

async function readNamespace(path: string): Promise<string> {
  try {
    const namespace = (await readSmallFile(path, MAX_NAMESPACE_BYTES)).toString('utf8').trim();
    // It becomes a segment of request paths.
    return pathSegmentProblem(namespace) === undefined ? namespace : '';
  } catch {
    return '';
  }
}
