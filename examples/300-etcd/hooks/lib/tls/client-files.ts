import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from 'hooklet';
import { clientSecret, dataOf, textIn } from './held.ts';

/** Variables of etcdctl; none where there is no certificate. */
export type ClientEnvironment = Readonly<Record<string, string>>;

const FILES = { ETCDCTL_CACERT: 'ca.crt', ETCDCTL_CERT: 'tls.crt', ETCDCTL_KEY: 'tls.key' };

/** Runs something with the certificate of the client in files that no other user can read, and that are gone then. */
export async function withClientFiles<T>(
  cluster: string,
  secrets: readonly KubernetesObject[],
  run: (environment: ClientEnvironment) => Promise<T>,
): Promise<T> {
  const secret = secrets.find(({ metadata }) => metadata.name === clientSecret(cluster));
  if (secret === undefined) return run({});
  const folder = await mkdtemp(join(tmpdir(), 'etcd-client-'));
  try {
    const data = dataOf(secret);
    const written = Object.entries(FILES).map(async ([variable, name]) => {
      const file = join(folder, name);
      await writeFile(file, textIn(data, name), { mode: 0o600 });
      return [variable, file] as const;
    });
    return await run(Object.fromEntries(await Promise.all(written)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same for a container: the mount of the certificate, and the variables for etcdctl. */
export function clientMount(cluster: string): {
  readonly env: readonly object[];
  readonly volume: object;
  readonly mount: object;
} {
  return {
    env: Object.entries(FILES).map(([name, file]) => ({ name, value: `/etc/etcd-client/${file}` })),
    volume: { name: 'etcd-client', secret: { secretName: clientSecret(cluster), defaultMode: 0o440 } },
    mount: { name: 'etcd-client', mountPath: '/etc/etcd-client', readOnly: true },
  };
}
