import { describe, expect, it } from 'vitest';
import { asking, sandboxForTest, type Ask } from './support/sandbox.ts';

const pod = '/api/v1/namespaces/default/pods/p';

async function withPod(): Promise<Ask> {
  const sandbox = await sandboxForTest();
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await sandbox.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
  return asking(sandbox);
}

describe('subresources', () => {
  it('a binding puts a pod on a node, once', async () => {
    const ask = await withPod();
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n1' } };

    expect((await ask('POST', `${pod}/binding`, body)).body).toMatchObject({ status: 'Success', code: 201 });
    expect((await ask('GET', pod)).body).toMatchObject({
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect((await ask('POST', `${pod}/binding`, body)).body).toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    });
  });

  it('an eviction deletes a pod', async () => {
    const ask = await withPod();
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };

    expect((await ask('POST', `${pod}/eviction`, body)).status).toBe(201);
    expect((await ask('GET', pod)).status).toBe(404);
  });

  it('the log of a pod is empty', async () => {
    const ask = await withPod();

    expect(await ask('GET', `${pod}/log`)).toMatchObject({ status: 200, text: '' });
    expect((await ask('GET', '/api/v1/namespaces/default/pods/none/log')).status).toBe(404);
  });

  it('a service account is given a token for a time', async () => {
    const sandbox = await sandboxForTest({ now: () => Date.UTC(2030, 0, 1) });
    await sandbox.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/sa/token';

    const { body } = await asking(sandbox)('POST', path, { spec: { expirationSeconds: 600 } });

    expect(body).toMatchObject({
      kind: 'TokenRequest',
      status: { token: 'sandbox.default.sa', expirationTimestamp: '2030-01-01T00:10:00Z' },
    });
  });

  it('a namespace that is going goes when its finalizers are taken away', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    const metadata = { name: 'a', namespace: 'n', finalizers: ['example.com/hold'] };
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await ask('DELETE', '/api/v1/namespaces/n');

    await ask('PUT', '/api/v1/namespaces/n/finalize', { metadata: { name: 'n' }, spec: { finalizers: [] } });

    expect((await ask('GET', '/api/v1/namespaces/n')).status).toBe(404);
  });

  it.each(['GET', 'DELETE'])('%s of what can only be created is not allowed', async (method) => {
    expect((await (await withPod())(method, `${pod}/binding`)).status).toBe(405);
  });
});
