import { describe, expect, it } from 'vitest';
import { textAt } from '../src/json-fields.ts';
import type { JsonObject } from '../src/json.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { sandboxForTest } from './support/sandbox.ts';

const maps = '/api/v1/namespaces/default/configmaps';

async function create(sandbox: Sandbox, name: string, metadata: JsonObject = {}): Promise<JsonObject> {
  const object = await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } });
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid: textAt(object, 'metadata', 'uid'),
    blockOwnerDeletion: true,
  };
}

async function exists(sandbox: Sandbox, name: string): Promise<boolean> {
  return (await sandbox.call('GET', `${maps}/${name}`)).code === 200;
}

async function remove(sandbox: Sandbox, name: string, propagationPolicy: string): Promise<void> {
  await sandbox.call('DELETE', `${maps}/${name}?propagationPolicy=${propagationPolicy}`);
}

describe('owners and dependents', () => {
  it('in the background dependents go after their owner, and theirs after them', async () => {
    const sandbox = await sandboxForTest();
    const owner = await create(sandbox, 'owner');
    const child = await create(sandbox, 'child', { ownerReferences: [owner] });
    await create(sandbox, 'grandchild', { ownerReferences: [child] });

    await remove(sandbox, 'owner', 'Background');

    expect([await exists(sandbox, 'child'), await exists(sandbox, 'grandchild')]).toEqual([false, false]);
  });

  it('in the foreground the owner goes last', async () => {
    const sandbox = await sandboxForTest();
    const owner = await create(sandbox, 'owner');
    await create(sandbox, 'child', { ownerReferences: [owner], finalizers: ['example.com/hold'] });

    await remove(sandbox, 'owner', 'Foreground');

    const waiting = await sandbox.call('GET', `${maps}/owner`);
    expect(waiting.body).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'] } });
    const patch = { metadata: { finalizers: null } };
    await sandbox.call('PATCH', `${maps}/child`, patch, 'application/merge-patch+json');
    expect([await exists(sandbox, 'child'), await exists(sandbox, 'owner')]).toEqual([false, false]);
  });

  it('in the foreground dependents that do not block are not waited for', async () => {
    const sandbox = await sandboxForTest();
    const owner = await create(sandbox, 'owner');
    const ownerReferences = [{ ...owner, blockOwnerDeletion: false }];
    await create(sandbox, 'child', { ownerReferences, finalizers: ['example.com/hold'] });

    await remove(sandbox, 'owner', 'Foreground');

    expect([await exists(sandbox, 'owner'), await exists(sandbox, 'child')]).toEqual([false, true]);
  });

  it('orphans stay, and forget their owner', async () => {
    const sandbox = await sandboxForTest();
    const owner = await create(sandbox, 'owner');
    await create(sandbox, 'child', { ownerReferences: [owner] });

    await remove(sandbox, 'owner', 'Orphan');

    const { body } = await sandbox.call('GET', `${maps}/child`);
    expect(await exists(sandbox, 'owner')).toBe(false);
    expect(body).toMatchObject({ metadata: { name: 'child' } });
    expect(JSON.stringify(body)).not.toContain('ownerReferences":[{');
  });

  it('another owner that lives keeps a dependent', async () => {
    const sandbox = await sandboxForTest();
    const [one, two] = [await create(sandbox, 'one'), await create(sandbox, 'two')];
    await create(sandbox, 'child', { ownerReferences: [one, two] });

    await remove(sandbox, 'one', 'Background');

    expect((await sandbox.call('GET', `${maps}/child`)).body).toMatchObject({
      metadata: { ownerReferences: [{ name: 'two' }] },
    });
  });

  it('an object whose owner never was is collected', async () => {
    const sandbox = await sandboxForTest();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'ghost' }];

    await create(sandbox, 'child', { ownerReferences });

    expect(await exists(sandbox, 'child')).toBe(false);
  });

  it('pods of a deleted job stay unless the request says otherwise', async () => {
    const sandbox = await sandboxForTest();
    const containers = [{ name: 'c', image: 'i' }];
    const template = { spec: { containers, restartPolicy: 'Never' } };
    const job = await sandbox.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { template },
    });
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: textAt(job, 'metadata', 'uid') };
    await create(sandbox, 'child', { ownerReferences: [owner] });

    await sandbox.call('DELETE', '/apis/batch/v1/namespaces/default/jobs/j');

    expect((await sandbox.call('GET', '/apis/batch/v1/namespaces/default/jobs/j')).code).toBe(404);
    expect(await exists(sandbox, 'child')).toBe(true);
  });
});
