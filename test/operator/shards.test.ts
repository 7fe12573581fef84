import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isJsonObject, type Sandbox } from '@hooklet/sandbox';
import { objectsAt, sandboxForTest } from '@hooklet/sandbox/testing';
import { LeaseLostError } from '../../src/errors.ts';
import { sliceOfText } from '../../src/lib/slice-hash.ts';
import { until, type OperatorRig } from '../support/operator-rig.ts';
import {
  keyOf,
  lastVersions,
  objectsOf,
  overlaps,
  shardReplica,
  SHARDS,
  timedHook,
  timedRuns,
} from '../support/shards-rig.ts';
import { startRelay } from '../support/tcp-relay.ts';

/** A test starts three operators, on a machine that may be busy. */
const LIMIT_MS = 180_000;
const NAMESPACES = 200;
const config = {
  configVersion: 'v1',
  kubernetes: [{ name: 'maps', kind: 'ConfigMap', labelSelector: { matchLabels: { app: 'shop' } } }],
};
const hooks = { 'maps.sh': timedHook(config) };

async function write(sandbox: Sandbox, namespace: string, value: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const metadata = { name: 'map', namespace, labels: { app: 'shop' } };
  const created = await sandbox.call('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } });
  if (created.code === 409) {
    await sandbox.call('PATCH', `${path}/map`, { data: { value } }, 'application/merge-patch+json');
  }
}

function namespaces(): readonly string[] {
  return Array.from({ length: NAMESPACES }, (_, index) => `shop-${index}`);
}

async function shopSandbox(): Promise<Sandbox> {
  const sandbox = await sandboxForTest();
  for (const name of namespaces()) {
    await sandbox.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await write(sandbox, name, '0');
  }
  return sandbox;
}

async function versionsIn(sandbox: Sandbox): Promise<ReadonlyMap<string, string>> {
  const { body } = await sandbox.call('GET', '/api/v1/configmaps?labelSelector=app%3Dshop');
  const items = objectsAt(isJsonObject(body) ? body : {}, 'items') as unknown as Parameters<typeof keyOf>[0][];
  return new Map(items.map((item) => [keyOf(item), item.metadata.resourceVersion]));
}

async function slicesOf(rig: OperatorRig): Promise<number> {
  const text = await (await fetch(`${rig.url()}/readyz?verbose`)).text();
  return Number(/has (\d+) of 64 slices/.exec(text)?.[1] ?? Number.NaN);
}

async function metricsOf(rig: OperatorRig) {
  const text = await (await fetch(`${rig.url()}/metrics`)).text();
  const valueOf = (series: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`shell_operator_${series} `))
        ?.split(' ')[1] ?? 0,
    );
  return {
    slices: valueOf('shard_slices'),
    members: valueOf('shard_members'),
    taken: valueOf('shard_moves_total{direction="taken"}'),
    given: valueOf('shard_moves_total{direction="given"}'),
  };
}

/** Every object has been given to a hook as it is now. */
async function caughtUp(sandbox: Sandbox, replicas: Readonly<Record<string, OperatorRig>>): Promise<void> {
  const wanted = await versionsIn(sandbox);
  await until(() => expect(lastVersions(timedRuns(replicas, 'maps.sh'))).toEqual(wanted), 90_000);
}

describe('replicas that divide objects', { timeout: LIMIT_MS }, () => {
  it('work each on its part: one that joins gets slices with a Synchronization of exactly their objects, and one that ends gives them back', async () => {
    const sandbox = await shopSandbox();
    await using first = shardReplica(sandbox, 'first', { hooks });
    await until(async () => expect(await slicesOf(first)).toBe(64));
    await caughtUp(sandbox, { first });
    expect(timedRuns({ first }, 'maps.sh').map(({ contexts }) => contexts.map(({ reason }) => reason))).toEqual([
      [undefined],
    ]);

    await using second = shardReplica(sandbox, 'second', { hooks });
    await until(async () => expect([await slicesOf(first), await slicesOf(second)]).toEqual([32, 32]), 90_000);
    const replicas = { first, second };
    expect(await metricsOf(first)).toEqual({ slices: 32, members: 2, taken: 64, given: 32 });
    expect(await metricsOf(second)).toEqual({ slices: 32, members: 2, taken: 32, given: 0 });
    for (const [index, name] of namespaces().entries()) if (index % 4 === 0) await write(sandbox, name, '1');
    await caughtUp(sandbox, replicas);

    const runs = timedRuns(replicas, 'maps.sh');
    expect(overlaps(runs)).toEqual([]);
    const handovers = runs.flatMap(({ contexts }) => contexts.filter(({ reason }) => reason === 'handover'));
    for (const context of handovers) {
      const shown = objectsOf({ contexts: [context] }).map(keyOf);
      const [slice, ...others] = new Set(shown.map((key) => sliceOfText('mixed', key.split('/')[0] ?? '')));
      expect(others).toEqual([]);
      const all = namespaces().filter((name) => sliceOfText('mixed', name) === slice);
      expect(shown.toSorted()).toEqual(all.map((name) => `${name}/map`).toSorted());
    }
    const events = runs.filter(({ contexts }) => contexts.some(({ type }) => type === 'Event'));
    expect(new Set(events.map(({ replica }) => replica))).toEqual(new Set(['first', 'second']));
    const given = events.flatMap(objectsOf).map(keyOf);
    expect(given.toSorted()).toEqual([...new Set(given)].toSorted());

    await second.stop();
    await until(async () => expect(await slicesOf(first)).toBe(64), 90_000);
    for (const name of namespaces().slice(0, 20)) await write(sandbox, name, '2');
    await caughtUp(sandbox, replicas);
    expect(overlaps(timedRuns(replicas, 'maps.sh'))).toEqual([]);
  });

  it('give nothing of a Synchronization of all objects before its run has ended', async () => {
    const sandbox = await shopSandbox();
    const slow = { 'maps.sh': timedHook(config, '8') };
    await using first = shardReplica(sandbox, 'first', { hooks: slow });
    await until(async () => expect(await slicesOf(first)).toBe(64));
    // The run makes this folder as it begins: slices that go before are not in it.
    await until(() => expect(existsSync(join(first.out, 'maps.sh'))).toBe(true));
    await using second = shardReplica(sandbox, 'second', { hooks: slow });
    const replicas = { first, second };
    await until(() => expect(timedRuns(replicas, 'maps.sh').length).toBeGreaterThan(2), 90_000);
    const [whole] = timedRuns(replicas, 'maps.sh');
    expect(objectsOf(whole ?? { contexts: [] })).toHaveLength(NAMESPACES);
    expect(overlaps(timedRuns(replicas, 'maps.sh'))).toEqual([]);
  });

  it('take over the slices of one that dies, whose hooks have ended before, and lose no change', async () => {
    const sandbox = await shopSandbox();
    const times = { leaseDurationMs: 6000, renewDeadlineMs: 4000 };
    const shards = { ...SHARDS, ...times };
    await using first = shardReplica(sandbox, 'first', { hooks, operator: { shards } });
    const relay = await startRelay(Number(new URL(sandbox.url).port));
    onTestFinished(async () => relay.close());
    const cut = { ...sandbox, url: `http://127.0.0.1:${relay.port}` };
    const second = shardReplica(cut, 'second', { hooks, operator: { shards } });
    await using third = shardReplica(sandbox, 'third', { hooks, operator: { shards } });
    const replicas = { first, second, third };
    await until(async () => {
      const counts = await Promise.all([slicesOf(first), slicesOf(second), slicesOf(third)]);
      expect(counts.reduce((a, b) => a + b)).toBe(64);
      expect(Math.min(...counts)).toBeGreaterThan(20);
    }, 90_000);

    relay.freezeAll();
    for (const name of namespaces()) await write(sandbox, name, '1');
    await until(async () => expect((await slicesOf(first)) + (await slicesOf(third))).toBe(64), 90_000);
    await caughtUp(sandbox, replicas);

    expect(overlaps(timedRuns(replicas, 'maps.sh'))).toEqual([]);
    const failure = await second.stop().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LeaseLostError);
    await Promise.resolve(second[Symbol.asyncDispose]()).catch(() => {});
  });
});
