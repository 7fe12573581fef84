import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadInCluster } from '../../../src/kube/credentials/in-cluster.ts';

let serviceAccountDir = '';

beforeEach(async () => {
  serviceAccountDir = await mkdtemp(join(tmpdir(), 'in-cluster-'));
});
afterEach(async () => {
  await rm(serviceAccountDir, { recursive: true });
});

const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

describe('loadInCluster', () => {
  it('takes the service account of the pod', async () => {
    await writeFile(join(serviceAccountDir, 'token'), 'secret');
    await writeFile(join(serviceAccountDir, 'ca.crt'), '-----BEGIN CA');
    await writeFile(join(serviceAccountDir, 'namespace'), 'hooks');

    const cluster = await loadInCluster({ env, serviceAccountDir });

    expect(cluster).toMatchObject({ name: 'in-cluster', namespace: 'hooks' });
    expect(cluster?.server.href).toBe('https://10.96.0.1/');
    expect(await cluster?.authenticate()).toEqual({
      headers: { authorization: 'Bearer secret' },
      tls: { ca: Buffer.from('-----BEGIN CA') },
    });
  });

  it('brackets an IPv6 address', async () => {
    await writeFile(join(serviceAccountDir, 'token'), 'secret');

    const cluster = await loadInCluster({
      env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' },
      serviceAccountDir,
    });

    expect(cluster?.server.host).toBe('[fd00::1]:6443');
  });

  it('is undefined outside of a pod', async () => {
    expect(await loadInCluster({ env: {}, serviceAccountDir })).toBeUndefined();
  });

  it('names what is missing in a pod without a token', async () => {
    await expect(loadInCluster({ env, serviceAccountDir })).rejects.toThrow(
      `cannot read token ${join(serviceAccountDir, 'token')}: ENOENT`,
    );
  });
});
