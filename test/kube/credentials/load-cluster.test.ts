import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import { loadCluster } from '../../../src/kube/credentials/load-cluster.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'load-cluster-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

async function writeConfig(name: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(join(path, '..'), { recursive: true });
  const content = {
    'current-context': name,
    contexts: [
      { name, context: { cluster: 'c' } },
      { name: 'second', context: { cluster: 'c' } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://api.example' } }],
  };
  await writeFile(path, JSON.stringify(content));
  return path;
}

async function podEnv() {
  await writeFile(join(directory, 'token'), 'secret');
  return { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
}

describe('loadCluster', () => {
  it('takes the kubeconfig it is given before KUBECONFIG, that before ~/.kube/config, that before the pod', async () => {
    const given = await writeConfig('given');
    const listed = await writeConfig('listed');
    await writeConfig('.kube/config');
    const serviceAccountDir = directory;
    const pod = await podEnv();
    const all = { ...pod, HOME: directory, KUBECONFIG: listed };

    const names = await Promise.all(
      [
        { kubeConfigPath: given, env: all },
        { env: all },
        { env: { ...pod, HOME: directory } },
        { env: pod },
        { kubeConfigPath: '', env: { ...pod, KUBECONFIG: '' } },
      ].map(async (options) => (await loadCluster({ ...options, serviceAccountDir })).name),
    );

    expect(names).toEqual(['given', 'listed', '.kube/config', 'in-cluster', 'in-cluster']);
  });

  it('takes the context it is given', async () => {
    const kubeConfigPath = await writeConfig('given');

    expect((await loadCluster({ kubeConfigPath, context: 'second', env: {} })).name).toBe('second');
  });

  it('leaves out files of KUBECONFIG that do not exist', async () => {
    const listed = await writeConfig('listed');
    const KUBECONFIG = [join(directory, 'missing'), listed, ''].join(delimiter);

    expect((await loadCluster({ env: { KUBECONFIG } })).name).toBe('listed');
  });

  it('takes the service account where the kubeconfig names nothing', async () => {
    const empty = join(directory, 'empty');
    await writeFile(empty, '');
    const env = { ...(await podEnv()), KUBECONFIG: empty };

    expect((await loadCluster({ env, serviceAccountDir: directory })).name).toBe('in-cluster');
  });

  it('goes from the pod through the proxy of the environment', async () => {
    const env = { ...(await podEnv()), HTTPS_PROXY: 'http://proxy:3128' };

    expect((await loadCluster({ env, serviceAccountDir: directory })).proxy?.host).toBe('proxy:3128');
  });

  it('names the places it searched when it finds nothing', async () => {
    const missing = join(directory, 'missing');

    await expect(loadCluster({ env: { HOME: directory } })).rejects.toThrow(
      `no cluster to connect to: KUBECONFIG is not set, there is no ${join(directory, '.kube/config')}, ` +
        'and this is not a pod with a service account',
    );
    await expect(loadCluster({ env: { KUBECONFIG: missing } })).rejects.toThrow(
      `no cluster to connect to: no file of KUBECONFIG (${missing}) exists`,
    );
    await expect(loadCluster({ kubeConfigPath: missing, env: {} })).rejects.toThrow(CredentialsError);
  });
});
