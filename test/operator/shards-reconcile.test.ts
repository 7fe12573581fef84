import { describe, expect, it, onTestFinished } from 'vitest';
import { isJsonObject, type Sandbox } from '@hooklet/sandbox';
import { objectsAt, sandboxForTest } from '@hooklet/sandbox/testing';
import { LeaseLostError } from '../../src/errors.ts';
import { until, type OperatorRig } from '../support/operator-rig.ts';
import { keyOf, objectsOf, overlaps, shardReplica, SHARDS, timedHook, timedRuns } from '../support/shards-rig.ts';
import { startRelay } from '../support/tcp-relay.ts';

/** A test starts three operators, on a machine that may be busy. */
const LIMIT_MS = 240_000;
const NAMESPACES = 60;
const BINDING = { name: 'sites', apiVersion: 'v1', kind: 'ConfigMap' };

function siteHook(more: object = {}, owns: object = {}): string {
  const config = {
    configVersion: 'v1',
    reconcile: [
      {
        ...BINDING,
        labelSelector: { matchLabels: { app: 'shop' } },
        owns: [{ apiVersion: 'v1', kind: 'Secret', ...owns }],
        finalize: true,
        ...more,
      },
    ],
  };
  // The child shows the value of its parent.
  return `${timedHook(config)}
value=$(sed -n 's/.*"value": *"\\([^"]*\\)".*/\\1/p' "$BINDING_CONTEXT_PATH" | head -n 1 | tr -d '\\n' | base64)
echo '{"finalized":true,"children":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"child"},"data":{"copy":"'"$value"'"}}]}' > "$RESULT_PATH"
`;
}

function namespaces(): readonly string[] {
  return Array.from({ length: NAMESPACES }, (_, index) => `shop-${index}`);
}

async function write(sandbox: Sandbox, namespace: string, value: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const metadata = { name: 'map', namespace, labels: { app: 'shop' } };
  const created = await sandbox.call('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } });
  if (created.code === 409)
    await sandbox.call('PATCH', `${path}/map`, { data: { value } }, 'application/merge-patch+json');
}

async function shopSandbox(): Promise<Sandbox> {
  const sandbox = await sandboxForTest();
  for (const name of namespaces()) {
    await sandbox.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await write(sandbox, name, '0');
  }
  return sandbox;
}

interface Found {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly data: Readonly<Record<string, string>>;
}

async function all(sandbox: Sandbox, plural: string): Promise<readonly Found[]> {
  const { body } = await sandbox.call('GET', `/api/v1/${plural}`);
  const items = objectsAt(isJsonObject(body) ? body : {}, 'items') as unknown as readonly Found[];
  return items.filter(({ metadata }) => metadata.namespace.startsWith('shop-'));
}

/** By namespace, the uid of the child. */
async function childUids(sandbox: Sandbox): Promise<ReadonlyMap<string, string>> {
  return new Map((await all(sandbox, 'secrets')).map(({ metadata }) => [metadata.namespace, metadata.uid]));
}

async function slicesOf(rig: OperatorRig): Promise<number> {
  const text = await (await fetch(`${rig.url()}/readyz?verbose`)).text();
  return Number(/has (\d+) of 64 slices/.exec(text)?.[1] ?? Number.NaN);
}

/** Each object has one child, which shows its value, and there is no other. */
async function reconciled(sandbox: Sandbox): Promise<void> {
  await until(async () => {
    const wanted = (await all(sandbox, 'configmaps')).map(({ metadata, data }): [string, string] => [
      metadata.namespace,
      data['value'] ?? '',
    ]);
    const copies = (await all(sandbox, 'secrets')).map(({ metadata, data }): [string, string] => [
      metadata.namespace,
      Buffer.from(data['copy'] ?? '', 'base64').toString(),
    ]);
    expect(new Map(copies)).toEqual(new Map(wanted));
  }, 90_000);
}

/** How often the hook was called to finalize each object. */
function finalizations(replicas: Readonly<Record<string, OperatorRig>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const contexts = timedRuns(replicas, 'site.sh').flatMap((run) => run.contexts);
  for (const context of contexts.filter(({ finalizing }) => finalizing === true)) {
    for (const key of objectsOf({ contexts: [context] }).map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

async function deleteIn(sandbox: Sandbox, namespace: string): Promise<void> {
  await sandbox.call('DELETE', `/api/v1/namespaces/${namespace}/configmaps/map`);
}

describe.for([
  ['by namespace', siteHook()],
  ['by uid', siteHook({ shard: 'uid' })],
  ['by namespace, with children that may be anywhere', siteHook({}, { otherNamespaces: true })],
] as const)('a reconcile hook whose objects are divided %s', { timeout: LIMIT_MS }, ([, hook]) => {
  it('works on each object on one replica, while one joins and leaves: no child is deleted, and a deletion is finalized once', async () => {
    const sandbox = await shopSandbox();
    const hooks = { 'site.sh': hook };
    await using first = shardReplica(sandbox, 'first', { hooks });
    await until(async () => expect(await slicesOf(first)).toBe(64));
    await reconciled(sandbox);
    const children = await childUids(sandbox);
    const [deleted, kept] = [namespaces().slice(0, 10), namespaces().slice(10)];

    await using second = shardReplica(sandbox, 'second', { hooks });
    const replicas = { first, second };
    for (const [index, name] of deleted.entries()) {
      await until(async () => expect(await slicesOf(second)).toBeGreaterThanOrEqual(index), 90_000);
      await deleteIn(sandbox, name);
    }
    await until(async () => expect([await slicesOf(first), await slicesOf(second)]).toEqual([32, 32]), 90_000);
    for (const name of kept.slice(20)) await write(sandbox, name, '1');
    await reconciled(sandbox);
    expect(finalizations(replicas)).toEqual(new Map(deleted.map((name) => [`${name}/map`, 1])));
    expect(new Set(timedRuns(replicas, 'site.sh').map(({ replica }) => replica))).toEqual(new Set(['first', 'second']));

    await second.stop();
    await until(async () => expect(await slicesOf(first)).toBe(64), 90_000);
    for (const name of kept.slice(0, 30)) await write(sandbox, name, '2');
    await reconciled(sandbox);

    expect(overlaps(timedRuns(replicas, 'site.sh'))).toEqual([]);
    expect(await childUids(sandbox)).toEqual(new Map(kept.map((name) => [name, children.get(name)])));
  });
});

describe('a reconcile hook whose objects are divided among three replicas, one of which dies', () => {
  it('works on all of them, once the one that died has stopped', { timeout: LIMIT_MS }, async () => {
    const sandbox = await shopSandbox();
    const hooks = { 'site.sh': siteHook() };
    const shards = { ...SHARDS, leaseDurationMs: 6000, renewDeadlineMs: 4000 };
    await using first = shardReplica(sandbox, 'first', { hooks, operator: { shards } });
    const relay = await startRelay(Number(new URL(sandbox.url).port));
    onTestFinished(async () => relay.close());
    const cut = { ...sandbox, url: `http://127.0.0.1:${relay.port}` };
    const second = shardReplica(cut, 'second', { hooks, operator: { shards } });
    await using third = shardReplica(sandbox, 'third', { hooks, operator: { shards } });
    await until(async () => {
      const counts = await Promise.all([slicesOf(first), slicesOf(second), slicesOf(third)]);
      expect(counts.reduce((a, b) => a + b)).toBe(64);
      expect(Math.min(...counts)).toBeGreaterThan(20);
    }, 90_000);
    await reconciled(sandbox);
    const children = await childUids(sandbox);

    relay.freezeAll();
    const [deleted, kept] = [namespaces().slice(0, 10), namespaces().slice(10)];
    for (const name of deleted) await deleteIn(sandbox, name);
    for (const name of kept) await write(sandbox, name, '1');
    await until(async () => expect((await slicesOf(first)) + (await slicesOf(third))).toBe(64), 90_000);
    await reconciled(sandbox);

    const failure = await second.stop().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LeaseLostError);
    expect(overlaps(timedRuns({ first, second, third }, 'site.sh'))).toEqual([]);
    expect(await childUids(sandbox)).toEqual(new Map(kept.map((name) => [name, children.get(name)])));
    expect(await all(sandbox, 'configmaps')).toHaveLength(kept.length);
    await Promise.resolve(second[Symbol.asyncDispose]()).catch(() => {});
  });
});
