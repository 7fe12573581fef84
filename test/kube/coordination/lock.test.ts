import { type Sandbox, startSandbox } from '@hooklet/sandbox';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LockLostError } from '../../../src/errors.ts';
import { LOCK_LABEL } from '../../../src/kube/coordination/lock-words.ts';
import { Lock } from '../../../src/kube/coordination/lock.ts';
import { inProcessClient } from '../../support/in-process-client.ts';
import { never } from '../../support/hook-rig.ts';
import { withinVirtual } from '../../support/within.ts';

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/nightly';
const SECOND = 1000;

let sandbox: Sandbox;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-05T03:00:00Z') });
  sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
});
afterEach(() => {
  vi.useRealTimers();
});

function contender(skewMs = 0) {
  const client = inProcessClient(sandbox);
  const lock = new Lock({ client, namespace: 'default', name: 'nightly', now: () => Date.now() + skewMs });
  return { client, lock };
}

async function passing<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  await vi.advanceTimersByTimeAsync(100);
  return promise;
}

async function taken(lock: Lock, holder: string) {
  const answer = await passing(lock.take(holder, never));
  if (answer.type !== 'taken') throw new Error(`the lock is ${answer.type}`);
  const end = new AbortController();
  const renewing = answer.held.renew(end.signal);
  onTestFinished(() => end.abort());
  return { held: answer.held, renewing, end };
}

describe('a lock', () => {
  it('is held by one of two that want it at the same moment', async () => {
    const answers = await passing(Promise.all([contender().lock.take('a', never), contender().lock.take('b', never)]));

    expect(answers.map(({ type }) => type).toSorted()).toEqual(['held', 'taken']);
  });

  it('is not taken for an hour while its holder renews, even where clocks differ by a day', async () => {
    await taken(contender(-86_400_000).lock, 'a');
    const { lock } = contender();

    for (let minute = 0; minute < 60; minute += 1) {
      expect((await passing(lock.take(`b${minute}`, never))).type).toBe('held');
      await vi.advanceTimersByTimeAsync(60 * SECOND);
    }
  });

  it('of a holder that is gone is taken 30 s after it was first seen, and not before', async () => {
    const { end } = await taken(contender(86_400_000).lock, 'a');
    end.abort();
    const { lock } = contender();
    expect((await passing(lock.take('b1', never))).type).toBe('held');

    await vi.advanceTimersByTimeAsync(29 * SECOND);
    expect((await passing(lock.take('b2', never))).type).toBe('held');
    await vi.advanceTimersByTimeAsync(1 * SECOND);
    expect((await passing(lock.take('b3', never))).type).toBe('taken');
  });

  it('that its Lease says to be held for 30 years is taken after 1 hour, whatever times it has', async () => {
    const { client, lock } = contender();
    const metadata = { name: 'nightly', namespace: 'default', labels: { [LOCK_LABEL]: 'true' } };
    const spec = {
      holderIdentity: 'dead',
      leaseDurationSeconds: 1_000_000_000,
      acquireTime: '9999-01-01T00:00:00.000000Z',
      renewTime: '9999-01-01T00:00:00.000000Z',
    };
    const path = LEASE.slice(0, LEASE.lastIndexOf('/'));
    await passing(client.request({ method: 'POST', path, body: JSON.stringify({ metadata, spec }) }, never));
    expect((await passing(lock.take('a1', never))).type).toBe('held');

    await vi.advanceTimersByTimeAsync(59 * 60 * SECOND);
    expect((await passing(lock.take('a2', never))).type).toBe('held');
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect((await passing(lock.take('a3', never))).type).toBe('taken');
  });

  it('that was taken as often as a Lease can count is taken once more, without a greater number', async () => {
    const { client, lock } = contender();
    const metadata = { name: 'nightly', namespace: 'default', labels: { [LOCK_LABEL]: 'true' } };
    const path = LEASE.slice(0, LEASE.lastIndexOf('/'));
    const body = JSON.stringify({ metadata, spec: { leaseTransitions: 2_147_483_647 } });
    await passing(client.request({ method: 'POST', path, body }, never));

    expect((await passing(lock.take('a', never))).type).toBe('taken');
    expect(await passing(client.request({ method: 'GET', path: LEASE }, never))).toMatchObject({
      spec: { holderIdentity: 'a', leaseTransitions: 2_147_483_647 },
    });
  });

  it('is lost 15 s after the API server fell silent, 15 s before others take it', async () => {
    const { client, lock } = contender();
    const { held } = await taken(lock, 'a');
    client.link = 'down';

    await vi.advanceTimersByTimeAsync(14 * SECOND);
    expect(held.lost.aborted).toBe(false);
    await withinVirtual(2 * SECOND, () => expect(held.lost.aborted).toBe(true));
    expect(held.lost.reason).toBeInstanceOf(LockLostError);
    expect(held.lost.reason).toMatchObject({
      message: expect.stringContaining('the lock default/nightly is lost: it could not be renewed for 15 s'),
    });
  });

  it('is lost as soon as it is looked at, where its process stood still for 15 s', async () => {
    let stoodStillMs = 0;
    const client = inProcessClient(sandbox);
    const elapsed = (): number => performance.now() + stoodStillMs;
    const lock = new Lock({ client, namespace: 'default', name: 'nightly', elapsed });
    const { held } = await taken(lock, 'a');
    stoodStillMs = 14 * SECOND;
    held.check();
    expect(held.lost.aborted).toBe(false);

    stoodStillMs = 15 * SECOND;
    held.check();
    expect(held.lost.reason).toBeInstanceOf(LockLostError);
  });

  it('is kept where the response of a renewal was lost, and the renewal was not', async () => {
    const { client, lock } = contender();
    const { held } = await taken(lock, 'a');
    client.link = 'lost';
    await vi.advanceTimersByTimeAsync(7 * SECOND);
    client.link = 'up';

    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect(held.lost.aborted).toBe(false);
  });

  it('that somebody took or released is lost at the next renewal, after 5 s', async () => {
    for (const holderIdentity of ['thief', '']) {
      const { client, lock } = contender();
      const { held, renewing } = await taken(lock, `a${holderIdentity}`);
      const body = JSON.stringify({ spec: { holderIdentity } });
      const contentType = 'application/merge-patch+json';
      await passing(client.request({ method: 'PATCH', path: LEASE, body, contentType }, never));

      await withinVirtual(6 * SECOND, () => expect(held.lost.aborted).toBe(true));
      await renewing;
      await passing(client.request({ method: 'DELETE', path: LEASE }, never));
    }
  });

  it('whose Lease was deleted is created again by its holder', async () => {
    const { client, lock } = contender();
    const { held } = await taken(lock, 'a');
    await passing(client.request({ method: 'DELETE', path: LEASE }, never));
    await vi.advanceTimersByTimeAsync(10 * SECOND);

    expect(held.lost.aborted).toBe(false);
    expect((await passing(contender().lock.take('b', never))).type).toBe('held');
  });

  it('is free at once after a release, and in the same process also where the release failed', async () => {
    const { client, lock } = contender();
    const first = await taken(lock, 'a');
    first.end.abort();
    await passing(first.held.release());
    expect((await passing(contender().lock.take('b', never))).type).toBe('taken');

    await passing(client.request({ method: 'DELETE', path: LEASE }, never));
    const second = await taken(lock, 'c');
    second.end.abort();
    client.link = 'down';
    const released = second.held.release();
    await vi.advanceTimersByTimeAsync(4 * SECOND);
    await released;
    client.link = 'up';
    expect((await passing(lock.take('d', never))).type).toBe('taken');
    expect((await passing(contender().lock.take('e', never))).type).toBe('held');
  });

  it('is not a Lease that something else made, whoever holds it', async () => {
    const { client, lock } = contender();
    const object = { metadata: { name: 'nightly', namespace: 'default' }, spec: { holderIdentity: 'x\u001b[2J' } };
    const path = LEASE.slice(0, LEASE.lastIndexOf('/'));
    await passing(client.request({ method: 'POST', path, body: JSON.stringify(object) }, never));

    const answer = await passing(lock.take('a', never));

    expect(answer).toEqual({ type: 'foreign', message: expect.stringContaining('is not a lock of hooklet') });
    expect(Object.values(answer).join('')).not.toMatch(/\p{Cc}/u);
  });

  it('names its holder in at most 200 characters and without what a terminal obeys', async () => {
    await taken(contender().lock, `a\u001b[31m\n${'x'.repeat(1000)}`);
    const answer = await passing(contender().lock.take('b', never));

    if (answer.type !== 'held') throw new Error(answer.type);
    expect(answer.by.holder).not.toMatch(/\p{Cc}/u);
    expect(answer.by.holder.length).toBeLessThanOrEqual(260);
    expect(answer.by.sinceMs).toBeGreaterThanOrEqual(Date.parse('2026-01-05T03:00:00Z'));
  });
});
