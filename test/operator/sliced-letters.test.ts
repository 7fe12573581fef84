import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { HookFailedError } from '../../src/errors.ts';
import type { ReconcileTrigger } from '../../src/hook/trigger.ts';
import type { ElectionStatus } from '../../src/kube/coordination/leader-election.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { GivenUp } from '../../src/operator/dead-letters/given-up.ts';
import { OwnedSlices } from '../../src/operator/shards/owned-slices.ts';
import { endedWhole } from '../../src/run/journal.ts';
import { reconcileBinding } from '../support/bindings.ts';
import { idleReconciler } from '../support/idle-reconciler.ts';
import { sandboxCluster, until } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { taskOf, unitRig } from '../support/unit-rig.ts';

type Sandbox = Awaited<ReturnType<typeof sandboxForTest>>;

const sites = reconcileBinding('sites', { kind: 'ConfigMap', apiVersion: 'v1' });
const never = new AbortController().signal;

/** One of several replicas, which has no slices yet. */
async function replicaOf(sandbox: Sandbox, status: ElectionStatus) {
  const log = recordingLogger();
  const access = await createClusterAccess(
    { connect: sandboxCluster(sandbox), userAgent: 'test' },
    { log, metrics: createMetrics('') },
  );
  const rig = unitRig('site.sh', [sites], () => idleReconciler(sites));
  const emitted: ReconcileTrigger[] = [];
  const slices = new OwnedSlices({
    hash: 'mixed',
    quiet: async (_slice, end) => givenUp.moved(end),
    isQuiet: () => true,
    onTaken: () => {},
    onGiven: () => {},
  });
  const end = new AbortController();
  const givenUp: GivenUp = new GivenUp({
    access,
    env: {},
    units: () => [rig.unit],
    unitFor: () => rig.unit,
    emit: (_, trigger) => void (trigger.type === 'reconcile' && emitted.push(trigger)),
    push: () => {},
    setAside: () => {},
    onStarted: () => {},
    onReplaced: () => {},
    triggerSchedule: async () => {},
    shards: { slices, status },
    metrics: createMetrics(''),
    log,
  });
  const running = givenUp.run(end.signal);
  await givenUp.ready([rig.hook], end.signal);
  const stop = async (): Promise<void> => {
    end.abort();
    await Promise.all([running, rig.stop()]);
    await access.client.close();
  };
  onTestFinished(stop);
  const ended = (name: string, index: number, isDead: boolean): void => {
    const slice = slices.owned.find((one) => one.index === index);
    const about = { namespace: 'shop', name, ...(slice && { slice }) };
    const task = taskOf(rig.hook, { type: 'reconcile', binding: sites, ...about, reason: 'changed' });
    const run = { id: 'run', task, queue: 'main', attempt: 1 };
    const error = new HookFailedError('bad', { ending: { exitCode: 78, timedOut: false } });
    givenUp.letters.record(
      isDead
        ? endedWhole(run, { type: 'failed', by: 'hook', error }, { type: 'dead', why: 'permanent' })
        : endedWhole(run, { type: 'succeeded', cost: { durationMs: 1, usage: {} }, applied: [] }, { type: 'done' }),
    );
  };
  const names = async (): Promise<readonly string[]> =>
    (await givenUp.controls.dead.list())
      .map(({ trigger }) => ('name' in trigger ? trigger.name : trigger.type))
      .toSorted();
  return {
    ...givenUp.controls,
    slices,
    emitted,
    names,
    stop,
    giveUp: (name: string, index: number) => ended(name, index, true),
    succeed: (name: string, index: number) => ended(name, index, false),
  };
}

async function stored(sandbox: Sandbox): Promise<readonly string[]> {
  const { body } = await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/hooklet-dead-letters');
  const text = JSON.stringify(body);
  return [...text.matchAll(/\\"name\\":\\"(\w+)\\"/g)].map(([, name = '']) => name).toSorted();
}

const LEADING: ElectionStatus = { type: 'leading' };
const BESIDE: ElectionStatus = { type: 'standing-by', leader: 'first' };

describe('the dead letters of replicas that divide objects', () => {
  it('are stored together: each replica writes those of its own slices, and leaves those of others', async () => {
    const sandbox = await sandboxForTest();
    const [first, second] = [await replicaOf(sandbox, LEADING), await replicaOf(sandbox, BESIDE)];
    first.slices.take(1);
    second.slices.take(2);
    first.giveUp('a', 1);
    await until(async () => expect(await stored(sandbox)).toEqual(['a']));
    second.giveUp('b', 2);
    second.giveUp('c', 2);
    await until(async () => expect(await stored(sandbox)).toEqual(['a', 'b', 'c']));
    first.succeed('a', 1);
    second.succeed('c', 2);
    await until(async () => expect(await stored(sandbox)).toEqual(['b']));

    expect([await first.names(), await second.names()]).toEqual([[], ['b']]);
  });

  it('go with their slice: who gave it shows and retries them no more, and who took it does', async () => {
    const sandbox = await sandboxForTest();
    const [first, second] = [await replicaOf(sandbox, LEADING), await replicaOf(sandbox, BESIDE)];
    first.slices.take(1);
    first.slices.take(2);
    first.giveUp('a', 1);
    first.giveUp('b', 2);

    await first.slices.give(2, never);
    expect(await stored(sandbox)).toEqual(['a', 'b']);
    second.slices.take(2);

    await until(async () => expect([await first.names(), await second.names()]).toEqual([['a'], ['b']]));
    expect((await first.dead.retry({})).retried).toBe(1);
    expect((await second.dead.retry({})).retried).toBe(1);
    expect(first.emitted.map(({ name }) => name)).toEqual(['a']);
    expect(second.emitted.map(({ name, slice }) => [name, slice?.given.aborted])).toEqual([['b', false]]);
    await until(async () => expect(await stored(sandbox)).toEqual([]));
  });

  it('are not retried where their slice is about to go, but where it goes to', async () => {
    const sandbox = await sandboxForTest();
    const [first, second] = [await replicaOf(sandbox, LEADING), await replicaOf(sandbox, BESIDE)];
    first.slices.take(2);
    first.giveUp('b', 2);
    const [, { retried }] = await Promise.all([first.slices.give(2, never), first.dead.retry({})]);
    second.slices.take(2);

    expect([retried, first.emitted]).toEqual([0, []]);
    await until(async () => expect(await second.names()).toEqual(['b']));
  });

  it('do not come back for an object that succeeded before the letters of its slice were read', async () => {
    const sandbox = await sandboxForTest();
    const first = await replicaOf(sandbox, BESIDE);
    first.slices.take(2);
    first.giveUp('a', 2);
    first.giveUp('b', 2);
    await first.slices.give(2, never);
    const second = await replicaOf(sandbox, BESIDE);
    const mend = sandbox.faults.add({ pattern: 'hooklet-dead-letters', type: 'status', code: 503 });

    second.slices.take(2);
    await until(() => expect(sandbox.requests.some(({ path }) => path.includes('hooklet-dead-letters'))).toBe(true));
    await new Promise((resolve) => setImmediate(resolve));
    second.succeed('a', 2);
    mend();

    await until(async () => expect(await stored(sandbox)).toEqual(['b']));
    expect(await second.names()).toEqual(['b']);
  });
});

describe('a pause by hand on the replica that leads', () => {
  it('holds on every replica, and on the next leader, until it ends', async () => {
    const sandbox = await sandboxForTest();
    const [first, second] = [await replicaOf(sandbox, LEADING), await replicaOf(sandbox, BESIDE)];
    await first.pauses.pause({ type: 'hook', hook: 'site.sh' });
    await until(async () => expect((await second.pauses.list()).map(({ by }) => by)).toEqual(['hand']));
    const third = await replicaOf(sandbox, LEADING);
    expect(await third.pauses.list()).toHaveLength(1);

    await third.pauses.resume({ type: 'hook', hook: 'site.sh' });

    await until(async () => expect(await second.pauses.list()).toEqual([]));
  });
});
