import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault, Sandbox } from '@hooklet/sandbox';
import { sandboxForTest, widgetDefinition } from '@hooklet/sandbox/testing';

import { openFilters } from '../../../src/filter/filters.ts';
import type { Filter, KubernetesBinding } from '../../../src/hook/binding.ts';
import { createCluster } from '../../../src/kube/credentials/cluster.ts';
import { createKinds } from '../../../src/kube/discovery/kinds.ts';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import { createWatches } from '../../../src/kube/watch/shared-watches.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { createMonitor } from '../../../src/sources/kubernetes/monitor.ts';
import { kubernetesBinding } from '../../support/bindings.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

interface RunOptions {
  readonly binding?: Partial<KubernetesBinding>;
  readonly idleTimeoutMs?: number;
}

/**
 * A monitor on a real connection. `until` resolves to what the listener received, once it received `count` calls.
 * Problems are not among them, since a slow connection may cause any number.
 */
function runMonitor(sandbox: Sandbox, { binding: fields = {}, idleTimeoutMs }: RunOptions = {}) {
  const headers = { authorization: `Bearer ${sandbox.token}` };
  const source = { read: async () => ({ headers }), invalidate: () => {} };
  const client = createKubeClient(createCluster({ name: 'sandbox', server: new URL(sandbox.url) }, [source]), {
    userAgent: 'test',
  });
  const [log, metrics, kinds] = [recordingLogger(), createMetrics(''), createKinds(client)];
  const watches = createWatches({
    client,
    kinds,
    log,
    metrics,
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  });
  const filters = openFilters();
  const told: string[] = [];
  let wake = (): void => {};
  const tell = (text: string): void => {
    told.push(text);
    wake();
  };
  const trouble = Promise.withResolvers<void>();
  const binding = kubernetesBinding('b', { kind: 'ConfigMap', namespace: DEFAULT, ...fields });
  const { filter } = binding;
  const monitor = createMonitor(binding, {
    hook: 'h',
    watches,
    kinds,
    ...(filter === undefined ? {} : { filter: filters.compile(filter) }),
    log,
    metrics,
    listener: {
      synced: () => tell('synced'),
      event: ({ watchEvent, item }) =>
        tell(`${watchEvent} ${item.name}${item.filterResult === undefined ? '' : ` ${item.filterResult}`}`),
      absent: () => {
        if (told.at(-1) !== 'absent') tell('absent');
      },
      returned: () => tell('returned'),
      problem: () => trouble.resolve(),
    },
  });
  const controller = new AbortController();
  const ended = monitor.run(controller.signal);
  onTestFinished(async () => {
    controller.abort();
    filters.end();
    await ended;
    await watches.ended();
    await client.close();
  });
  return {
    monitor,
    /** Resolves when the monitor has reported a problem. */
    trouble: trouble.promise,
    until: async (count: number): Promise<readonly string[]> => {
      while (told.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return told;
    },
  };
}

const DEFAULT = { type: 'names', names: ['default'] } as const;
const DATA: Filter = { type: 'jq', expression: '.data.x' };

const configMap = (name: string, x = '1', namespace = 'default') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { x },
});

describe('a monitor on an API server', () => {
  it('follows objects and filters them', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(configMap('a'));
    const { monitor, until } = runMonitor(sandbox, { binding: { filter: DATA } });
    await until(1);

    await sandbox.apply(configMap('b'));
    await sandbox.apply(configMap('a', '2'));
    await sandbox.apply({ ...configMap('a', '2'), metadata: { name: 'a', namespace: 'default', labels: { l: 'x' } } });
    await sandbox.delete(configMap('b'));

    expect(await until(4)).toEqual(['synced', 'Added b "1"', 'Modified a "2"', 'Deleted b "1"']);
    const [item] = monitor.snapshot();
    expect(JSON.parse(Buffer.from(item?.object ?? []).toString())).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', labels: { l: 'x' } },
      data: { x: '2' },
    });
  });

  it('is synced although a filter never ends on one object, which has a filterError', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(configMap('bad', `${'a'.repeat(60)}b`));
    await sandbox.apply(configMap('good', 'a'));
    const filter: Filter = { type: 'jq', expression: '.data.x | test("(a+)+$")' };
    const { monitor, until } = runMonitor(sandbox, { binding: { filter } });

    expect(await until(1)).toEqual(['synced']);

    expect(monitor.snapshot()).toMatchObject([
      { name: 'bad', filterResult: 'null', filterError: 'the filter was stopped after 1000 ms' },
      { name: 'good', filterResult: 'true' },
    ]);
  });

  it('tells of other objects while a filter is away with one, and of that one in the end', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(configMap('bad', 'a'));
    const filter: Filter = { type: 'jq', expression: '.data.x | if length > 50 then test("(a+)+$") else . end' };
    const { monitor, until } = runMonitor(sandbox, { binding: { filter } });
    await until(1);

    await sandbox.apply(configMap('bad', `${'a'.repeat(60)}b`));
    await sandbox.apply(configMap('good', 'a'));
    await sandbox.delete(configMap('bad'));

    expect(await until(4)).toEqual(['synced', 'Added good "a"', 'Modified bad null', 'Deleted bad null']);
    expect(monitor.snapshot().map(({ name }) => name)).toEqual(['good']);
  });

  it.each<readonly [string, Fault]>([
    ['streamed lists are refused', { type: 'status', code: 422, pattern: 'sendInitialEvents' }],
    ['streamed lists hang up', { type: 'hangUp', pattern: 'sendInitialEvents' }],
    ['the first requests get 500', { type: 'status', code: 500, path: '/api/v1/namespaces', times: 2 }],
    [
      'the first request gets 429',
      { type: 'status', code: 429, retryAfterSeconds: 1, path: '/api/v1/namespaces', times: 1 },
    ],
    ['streamed lists come cut off', { type: 'truncate', afterBytes: 200, pattern: 'sendInitialEvents' }],
  ])('is synced although %s', { timeout: 60_000 }, async (_law, fault) => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(configMap('a'));
    sandbox.faults.add(fault);
    const { monitor, until } = runMonitor(sandbox);

    expect(await until(1)).toEqual(['synced']);

    expect(monitor.snapshot().map(({ name }) => name)).toEqual(['a']);
    const [item] = monitor.snapshot();
    expect(JSON.parse(Buffer.from(item?.object ?? []).toString())).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
  });

  it.each<readonly [string, (sandbox: Sandbox) => void]>([
    ['its connection is reset', (sandbox) => void sandbox.dropWatches()],
    ['410 comes as a line', (sandbox) => void sandbox.faults.add({ type: 'watchError', code: 410, times: 1 })],
    ['an unknown ERROR comes', (sandbox) => void sandbox.faults.add({ type: 'watchError', code: 418, times: 1 })],
    ['a line is cut in the middle', (sandbox) => void sandbox.faults.add({ type: 'cutLine', times: 1, watch: true })],
    ['a line is not JSON', (sandbox) => void sandbox.faults.add({ type: 'brokenLine', times: 1, watch: true })],
    ['lines come twice', (sandbox) => void sandbox.faults.add({ type: 'duplicate', copies: 2 })],
    [
      'its history is compacted',
      (sandbox) => {
        sandbox.faults.add({ type: 'status', code: 500, watch: true, times: 1 });
        sandbox.dropWatches();
        setTimeout(() => {
          sandbox.compact();
        }, 100);
      },
    ],
    ['the connection falls silent', (sandbox) => void sandbox.faults.add({ type: 'silence', watch: true, times: 1 })],
  ])('loses nothing when %s', { timeout: 60_000 }, async (_law, strike) => {
    const sandbox = await sandboxForTest({ bookmarkIntervalMs: 200 });
    await sandbox.apply(configMap('a'));
    await sandbox.apply(configMap('b'));
    const { monitor, until } = runMonitor(sandbox, { idleTimeoutMs: 1000 });
    await until(1);

    strike(sandbox);
    await sandbox.apply(configMap('c'));
    await sandbox.apply(configMap('a', '2'));
    await sandbox.delete(configMap('b'));

    expect((await until(4)).toSorted()).toEqual(['Added c', 'Deleted b', 'Modified a', 'synced']);
    expect(monitor.snapshot().map(({ name }) => name)).toEqual(['a', 'c']);
  });

  it('follows namespaces by their labels', async () => {
    const sandbox = await sandboxForTest();
    const namespace = (name: string, team: string) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { team } },
    });
    for (const [name, team] of [
      ['n1', 'x'],
      ['n2', 'y'],
    ] as const) {
      await sandbox.apply(namespace(name, team));
      await sandbox.apply(configMap(`in-${name}`, '1', name));
    }
    const selector = { type: 'labels', labelSelector: { matchLabels: { team: 'x' } } } as const;
    const { until } = runMonitor(sandbox, { binding: { namespace: selector, names: ['in-n1', 'in-n2'] } });
    await until(1);

    await sandbox.apply(namespace('n2', 'x'));
    await until(2);
    await sandbox.apply(namespace('n1', 'y'));

    expect(await until(3)).toEqual(['synced', 'Added in-n2', 'Deleted in-n1']);
  });

  it('follows a kind that comes, goes and comes again', { timeout: 60_000 }, async () => {
    const sandbox = await sandboxForTest();
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
      spec: { color: 'red' },
    };
    const { trouble, until } = runMonitor(sandbox, { binding: { kind: 'wd' } });
    await trouble;

    await sandbox.apply(widgetDefinition());
    await until(1);
    await sandbox.apply(widget);
    await until(2);
    await sandbox.delete(widgetDefinition());
    await until(3);
    await sandbox.apply(widgetDefinition());
    await sandbox.apply(widget);

    expect((await until(5)).filter((text) => text !== 'returned')).toEqual([
      'synced',
      'Added w',
      'Deleted w',
      'Added w',
    ]);
  });

  it('does without an optional kind, and follows it when it comes', { timeout: 60_000 }, async () => {
    const sandbox = await sandboxForTest();
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
      spec: { color: 'red' },
    };
    const { monitor, until } = runMonitor(sandbox, { binding: { kind: 'wd', isOptional: true } });
    await until(1);
    expect(monitor.status()).toEqual({ isSynced: true, isMissing: true, isAbsent: true });

    await sandbox.apply(widgetDefinition());
    await sandbox.apply(widget);
    expect((await until(3)).slice(0, 3)).toEqual(['absent', 'synced', 'returned']);
    await sandbox.delete(widgetDefinition());

    const told = await until(5);
    expect(told.filter((text) => !text.startsWith('Added'))).toEqual([
      'absent',
      'synced',
      'returned',
      'Deleted w',
      'absent',
    ]);
    expect(monitor.status()).toEqual({ isSynced: true, isMissing: true, isAbsent: true });
  });
});
