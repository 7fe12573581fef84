import { describe, expect, it } from 'vitest';
import { sandboxForTest, textAt, textsAt } from '@hooklet/sandbox/testing';
import { addFinalizer } from '../../src/effects/finalizer.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { sandboxClient } from '../support/children-rig.ts';

const PATH = '/api/v1/namespaces/default/configmaps/a';
const FINALIZER = 'hooklet.dev/test';

describe('a finalizer that is put on an object', () => {
  it.each([
    { conflicts: 1, isAdded: true },
    { conflicts: 4, isAdded: true },
  ])('is there after $conflicts requests that met another writer', async ({ conflicts, isAdded }) => {
    const sandbox = await sandboxForTest();
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });
    const uid = textAt((await sandbox.call('GET', PATH)).body, 'metadata', 'uid');
    const client = sandboxClient(sandbox);
    sandbox.faults.add({ type: 'status', code: 409, method: 'PATCH', times: conflicts });

    const session = { client, kinds: createKinds(client), signal: new AbortController().signal };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a', uid };

    expect(await addFinalizer(object, FINALIZER, session)).toBe(isAdded);
    expect(textsAt((await sandbox.call('GET', PATH)).body, 'metadata', 'finalizers')).toEqual([FINALIZER]);
  });

  it('is not put on another object of that name, which is no failure', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });
    const client = sandboxClient(sandbox);
    const session = { client, kinds: createKinds(client), signal: new AbortController().signal };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a', uid: crypto.randomUUID() };

    expect(await addFinalizer(object, FINALIZER, session)).toBe(false);
    expect(textsAt((await sandbox.call('GET', PATH)).body, 'metadata', 'finalizers')).toEqual([]);
  });
});
