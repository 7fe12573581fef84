import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';

import { KindNotFoundError } from '../../src/errors.ts';
import { resourcePath } from '../../src/kube/kind.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { loadCluster } from '../../src/kube/credentials/load-cluster.ts';

const never = new AbortController().signal;

async function connect(sandbox: Sandbox) {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-client-'));
  const kubeConfigPath = join(directory, 'config');
  await writeFile(kubeConfigPath, sandbox.kubeconfig());
  const client = createKubeClient(await loadCluster({ kubeConfigPath, env: {} }), { userAgent: 'hooklet/test' });
  onTestFinished(async () => {
    await client.close();
    await rm(directory, { recursive: true });
  });
  return { client, kinds: createKinds(client) };
}

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });

describe('client and kinds on the sandbox', () => {
  it('find a kind, create an object of it, read it and see it in a watch', async () => {
    const { client, kinds } = await connect(await sandboxForTest());
    const kind = await kinds.resolve({ kind: 'cm' }, never);
    const collection = resourcePath(kind, { namespace: 'default' });
    await client.request({ method: 'POST', path: collection, body: JSON.stringify(configMap('a')) }, never);

    const watch = client.lines(
      { method: 'GET', path: collection, query: { watch: '1', resourceVersion: '0' } },
      { signal: never, idleTimeoutMs: 5000 },
    );
    const [line] = await take(watch, 1);

    expect(JSON.parse(Buffer.from(line ?? []).toString())).toMatchObject({
      type: 'ADDED',
      object: { kind: 'ConfigMap', metadata: { name: 'a' } },
    });
  });

  it('find a kind whose CustomResourceDefinition came later', async () => {
    const sandbox = await sandboxForTest();
    const { kinds } = await connect(sandbox);
    await expect(kinds.resolve({ kind: 'Widget' }, never)).rejects.toThrow(KindNotFoundError);
    await sandbox.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });

    expect(await kinds.resolve({ kind: 'Widget' }, never)).toMatchObject({ apiVersion: 'example.com/v1' });
  });

  it.each([
    [
      { type: 'status', code: 429, retryAfterSeconds: 3 },
      { status: 429, reason: 'TooManyRequests', retryAfterMs: 3000 },
    ],
    [
      { type: 'status', code: 410 },
      { status: 410, name: 'ResourceExpiredError' },
    ],
    [{ type: 'status', code: 500 }, { status: 500 }],
    [{ type: 'hangUp' }, { status: 0 }],
  ] as const)('take the fault %j for what it is', async (fault, expected) => {
    const sandbox = await sandboxForTest();
    const { client } = await connect(sandbox);
    sandbox.faults.add({ ...fault, path: '/api/v1/configmaps' });

    const failed = client.request({ method: 'GET', path: '/api/v1/configmaps' }, never);

    await expect(failed).rejects.toMatchObject(expected);
  });

  it('fail a stream that was cut, and a silent one when it is idle', async () => {
    const sandbox = await sandboxForTest();
    const { client } = await connect(sandbox);
    const request = { method: 'GET', path: '/api/v1/namespaces', query: { watch: '1', resourceVersion: '0' } } as const;
    const cut = take(
      client.lines(request, { signal: never, idleTimeoutMs: 5000, onData: () => void sandbox.dropWatches() }),
      1000,
    );
    await expect(cut).rejects.toMatchObject({ status: 0 });

    const silent = take(client.lines(request, { signal: never, idleTimeoutMs: 50 }), 1000);

    await expect(silent).rejects.toMatchObject({ status: 0, reason: 'Idle' });
  });
});

async function take<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
