import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { KubeError } from '../../../src/errors.ts';
import { leaseStore } from '../../../src/kube/coordination/lease.ts';
import { inProcessClient } from '../../support/in-process-client.ts';

const NOW_MS = Date.parse('2026-01-05T03:00:00.250Z');
const limit = { signal: new AbortController().signal, timeoutMs: 1000 };
const claim = (holder: string, nowMs = NOW_MS) => ({ holder, durationMs: 15_000, nowMs });

async function open() {
  const client = inProcessClient(await sandboxForTest());
  return { client, store: leaseStore({ client, namespace: 'default', name: 'hooklet' }) };
}

describe('a lease', () => {
  it('that is not there reads as undefined', async () => {
    const { store } = await open();

    expect(await store.read(limit)).toBeUndefined();
  });

  it('is created, taken over and released with the fields that client-go writes', async () => {
    const { store } = await open();

    const created = await store.write(claim('a'), undefined, limit);
    const renewed = await store.write(claim('a', NOW_MS + 2000), created, limit);
    const taken = await store.write(claim('b', NOW_MS + 4000), renewed, limit);
    const released = await store.write({ ...claim('', NOW_MS + 5000), durationMs: 1000 }, taken, limit);

    expect([created, renewed, taken, released].map(({ object }) => object['spec'])).toEqual([
      spec('a', '03:00:00.250000Z', '03:00:00.250000Z', 0),
      spec('a', '03:00:00.250000Z', '03:00:02.250000Z', 0),
      spec('b', '03:00:04.250000Z', '03:00:04.250000Z', 1),
      expect.objectContaining({ leaseDurationSeconds: 1, leaseTransitions: 1 }),
    ]);
    expect(released).toMatchObject({ holder: '', transitions: 1, durationMs: 1000 });
    expect((await store.write(claim('c'), released, limit)).transitions).toBe(2);
  });

  it('keeps labels and annotations that others gave it', async () => {
    const { store, client } = await open();
    const created = await store.write(claim('a'), undefined, limit);
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/hooklet';
    const body = JSON.stringify({ metadata: { labels: { team: 'x' } } });
    await client.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' }, limit.signal);

    await expect(store.write(claim('a'), created, limit)).rejects.toMatchObject({ status: 409 });
    const again = await store.write(claim('a'), await store.read(limit), limit);

    expect(again.object['metadata']).toMatchObject({ labels: { team: 'x' } });
  });

  it('is not overwritten when somebody has written since it was read', async () => {
    const { store } = await open();
    const created = await store.write(claim('a'), undefined, limit);
    await store.write(claim('b'), created, limit);

    await expect(store.write(claim('a'), created, limit)).rejects.toMatchObject({ status: 409 });
    await expect(store.write(claim('a'), undefined, limit)).rejects.toMatchObject({ status: 409 });
  });

  it('that is forbidden fails with the missing rule and its namespace', async () => {
    const { store, client } = await open();
    client.refuse = () => 403;

    const failure = await store.read(limit).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(KubeError);
    expect(failure).toMatchObject({
      status: 403,
      message: expect.stringContaining(
        'a Role in the namespace default needs the rule {apiGroups: ["coordination.k8s.io"], resources: [leases], verbs: [get, create, update]}',
      ),
    });
  });

  it('in a namespace that does not exist fails with that reason', async () => {
    const client = inProcessClient(await sandboxForTest());
    const store = leaseStore({ client, namespace: 'nowhere', name: 'hooklet' });

    await expect(store.write(claim('a'), undefined, limit)).rejects.toThrow(/nowhere/);
  });
});

function spec(holder: string, acquired: string, renewed: string, transitions: number) {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: 15,
    acquireTime: `2026-01-05T${acquired}`,
    renewTime: `2026-01-05T${renewed}`,
    leaseTransitions: transitions,
  };
}
