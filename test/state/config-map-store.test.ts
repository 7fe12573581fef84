import { describe, expect, it } from 'vitest';
import type { FaultAction } from '@hooklet/sandbox';
import { asking, sandboxForTest } from '@hooklet/sandbox/testing';
import { KubeError } from '../../src/errors.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { ConfigMapStore } from '../../src/state/config-map-store.ts';
import { sandboxCluster } from '../support/operator-rig.ts';

const never = new AbortController().signal;
const path = '/api/v1/namespaces/default/configmaps';
const option = '--state';

async function storeRig() {
  const sandbox = await sandboxForTest();
  const client = createKubeClient(await sandboxCluster(sandbox)(), { userAgent: 'test' });
  const open = (name = 'records'): ConfigMapStore => new ConfigMapStore(client, { namespace: 'default', name, option });
  const fail = (method: string, code: number): (() => void) =>
    sandbox.faults.add({ type: 'status', code, method, path, message: 'by the test' });
  return { sandbox, open, fail, ask: asking(sandbox) };
}

const changes = (texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(texts));

describe('ConfigMapStore', () => {
  it('is empty where there is no ConfigMap, and makes it when the first text is written', async () => {
    const { open, ask } = await storeRig();
    const store = open();

    expect(await store.read(never)).toEqual({ type: 'read', texts: new Map() });
    expect((await ask('GET', `${path}/records`)).status).toBe(404);
    expect(await store.write(changes({ a: '1' }), never)).toEqual({ type: 'written' });

    expect((await ask('GET', `${path}/records`)).body).toMatchObject({
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'hooklet' } },
      data: { a: '1' },
    });
    expect(await open().read(never)).toEqual({ type: 'read', texts: changes({ a: '1' }) });
  });

  it('writes what changed, and leaves what is there alone', async () => {
    const { open, ask } = await storeRig();
    const metadata = { name: 'records', labels: { team: 'db' } };
    await ask('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1', b: '2' } });
    const store = open();
    await store.read(never);

    expect(await store.write(changes({ a: '3' }), never)).toEqual({ type: 'written' });
    expect(await store.write(changes({ c: '4' }), never)).toEqual({ type: 'written' });

    const { body } = await ask('GET', `${path}/records`);
    expect(body).toMatchObject({ metadata: { labels: { team: 'db' } } });
    expect(body['data']).toEqual({ a: '3', b: '2', c: '4' });
  });

  it('returns a conflict when another process wrote since it read', async () => {
    const { open } = await storeRig();
    const [one, two] = [open(), open()];
    await one.read(never);
    await two.read(never);

    expect(await one.write(changes({ a: '1' }), never)).toEqual({ type: 'written' });
    expect(await two.write(changes({ a: '2' }), never)).toEqual({ type: 'conflict' });
    await two.read(never);
    expect(await two.write(changes({ a: '2' }), never)).toEqual({ type: 'written' });
    expect(await one.write(changes({ a: '3' }), never)).toEqual({ type: 'conflict' });
  });

  it('reads again when the ConfigMap was deleted, and creates it again', async () => {
    const { open, ask } = await storeRig();
    const store = open();
    await store.read(never);
    await store.write(changes({ a: '1' }), never);
    await ask('DELETE', `${path}/records`);

    expect(await store.write(changes({ a: '2' }), never)).toEqual({ type: 'conflict' });
    expect(await store.read(never)).toEqual({ type: 'read', texts: new Map() });
    expect(await store.write(changes({ a: '2' }), never)).toEqual({ type: 'written' });
  });

  it('takes 409 for a write of another', async () => {
    const { open, fail } = await storeRig();
    const store = open();
    await store.read(never);
    fail('POST', 409);

    expect(await store.write(changes({ a: '1' }), never)).toEqual({ type: 'conflict' });
  });

  it('names the rule that is missing where it is forbidden', async () => {
    const { open, fail } = await storeRig();
    const end = fail('GET', 403);

    expect(await open().read(never)).toMatchObject({
      type: 'refused',
      error: expect.any(KubeError),
      advice:
        'a Role in namespace default with the rule {apiGroups: [""], resources: [configmaps], verbs: [get, create, patch]}',
    });
    end();
    fail('POST', 403);
    const store = open();
    await store.read(never);
    expect(await store.write(changes({ a: '1' }), never)).toMatchObject({ type: 'refused' });
  });

  it('is refused what can never be written, such as an immutable ConfigMap', async () => {
    const { open, ask } = await storeRig();
    const metadata = { name: 'records' };
    await ask('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1' }, immutable: true });
    const store = open();
    await store.read(never);

    expect(await store.write(changes({ a: '2' }), never)).toMatchObject({
      type: 'refused',
      advice: 'a valid ConfigMap default/records, or another place with --state',
    });
  });

  it.each<[string, FaultAction]>([
    ['500', { type: 'status', code: 500 }],
    ['429', { type: 'status', code: 429, retryAfterSeconds: 1 }],
    ['401', { type: 'status', code: 401 }],
    ['410', { type: 'status', code: 410 }],
    ['a connection that breaks', { type: 'hangUp' }],
  ])('throws what may pass: %s', async (_what, action) => {
    const { sandbox, open } = await storeRig();
    const store = open();
    await store.read(never);
    sandbox.faults.add({ ...action, path });

    await expect(store.read(never)).rejects.toThrow();
    await expect(store.write(changes({ a: '1' }), never)).rejects.toThrow();
  });

  it('throws where the namespace is yet to be made', async () => {
    const { sandbox } = await storeRig();
    const client = createKubeClient(await sandboxCluster(sandbox)(), { userAgent: 'test' });
    const store = new ConfigMapStore(client, { namespace: 'not-there', name: 'records', option });
    await store.read(never);

    await expect(store.write(changes({ a: '1' }), never)).rejects.toThrow('not-there');
  });
});
