import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/json.ts';
import { asking, openWatch, sandboxForTest, type Ask } from './support/sandbox.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const merge = 'application/merge-patch+json';

async function withMap(metadata: JsonObject = {}): Promise<Ask> {
  const sandbox = await sandboxForTest({ now: () => Date.UTC(2030, 0, 1) });
  await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata } });
  return asking(sandbox);
}

async function withPod(nodeName?: string): Promise<Ask> {
  const sandbox = await sandboxForTest({ now: () => Date.UTC(2030, 0, 1) });
  const containers = [{ name: 'c', image: 'i' }];
  const spec: JsonObject = nodeName === undefined ? { containers } : { containers, nodeName };
  await sandbox.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
  return asking(sandbox);
}

describe('deleting', () => {
  it('removes an object at once, and says which it was', async () => {
    const ask = await withMap();

    expect((await ask('DELETE', `${maps}/a`)).body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: expect.any(String) },
    });
    expect((await ask('DELETE', `${maps}/a`)).status).toBe(404);
  });

  it('finalizers hold an object until the last is gone', async () => {
    const ask = await withMap({ finalizers: ['example.com/hold'] });

    const marked = await ask('DELETE', `${maps}/a`);
    const again = await ask('DELETE', `${maps}/a`);
    await ask('PATCH', `${maps}/a`, { metadata: { finalizers: null } }, merge);

    expect(marked.body).toMatchObject({
      metadata: {
        deletionTimestamp: '2030-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 0,
        finalizers: ['example.com/hold'],
      },
    });
    expect(again.body).toEqual(marked.body);
    expect((await ask('GET', `${maps}/a`)).status).toBe(404);
  });

  it.each([
    [{ uid: 'other' }, 'the UID in the precondition (other) does not match the UID in record'],
    [
      { resourceVersion: '1' },
      'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record',
    ],
  ])('the precondition %j must hold', async (preconditions, message) => {
    expect((await (await withMap())('DELETE', `${maps}/a`, { preconditions })).body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: expect.stringContaining(message),
    });
  });

  it('as a dry run deletes nothing', async () => {
    const ask = await withMap();

    expect((await ask('DELETE', `${maps}/a?dryRun=All`)).status).toBe(200);
    expect((await ask('GET', `${maps}/a`)).status).toBe(200);
  });

  it('a collection deletes what a list with the same selector shows', async () => {
    const sandbox = await sandboxForTest();
    for (const name of ['a', 'b']) {
      await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { name } } });
    }
    const ask = asking(sandbox);

    const deleted = await ask('DELETE', `${maps}?labelSelector=name%3Da`);

    expect(deleted.body).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }] });
    expect((await ask('GET', maps)).body).toMatchObject({ items: [{ metadata: { name: 'b' } }] });
  });
});

describe('deleting a pod', () => {
  it('that runs nowhere is immediate', async () => {
    const ask = await withPod();

    expect((await ask('DELETE', `${pods}/p`)).body).toMatchObject({
      kind: 'Pod',
      metadata: { deletionGracePeriodSeconds: 0 },
    });
    expect((await ask('GET', `${pods}/p`)).status).toBe(404);
  });

  it('that runs on a node waits for its kubelet', async () => {
    const ask = await withPod('node');

    const marked = await ask('DELETE', `${pods}/p`);

    expect(marked.body).toMatchObject({
      metadata: { deletionTimestamp: '2030-01-01T00:00:30Z', deletionGracePeriodSeconds: 30, generation: 2 },
    });
    expect((await ask('DELETE', `${pods}/p?gracePeriodSeconds=5`)).body).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 5 },
    });
    await ask('DELETE', `${pods}/p?gracePeriodSeconds=0`);
    expect((await ask('GET', `${pods}/p`)).status).toBe(404);
  });

  it('a watch sees it marked, and then gone', async () => {
    const sandbox = await sandboxForTest();
    const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'node' };
    await sandbox.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    const watch = await openWatch(sandbox, `${pods}?watch=1&resourceVersion=${sandbox.resourceVersion}`);

    await sandbox.call('DELETE', `${pods}/p`);
    await sandbox.call('DELETE', `${pods}/p?gracePeriodSeconds=0`);

    expect([(await watch.next())['type'], (await watch.next())['type']]).toEqual(['MODIFIED', 'DELETED']);
  });
});
