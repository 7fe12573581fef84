import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { resourceKind, watchLine, bookmark, kubeList } from '../../support/kube-objects.ts';
import { answerList, monitorRig, settled, type MonitorRig, type MonitorRigOptions } from '../../support/monitor-rig.ts';
import { statusError } from '../../support/scripted-kube-client.ts';

const rigs: MonitorRig[] = [];

function rigOf(options?: MonitorRigOptions): MonitorRig {
  const rig = monitorRig(options);
  rigs.push(rig);
  return rig;
}

// Only timers are fake: everything that is due now still happens by itself.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.stop()));
  vi.useRealTimers();
});

describe('a monitor', () => {
  it('tells of the initial objects as one batch, and of what comes later as events in order (point 17)', async () => {
    const { client, names, told } = rigOf();
    const call = await client.next();
    answerList(call, { name: 'b' }, { name: 'a' });
    await settled();
    const atSync = [...told, ...names()];

    call.send(watchLine('ADDED', { name: 'c', version: 11 }), watchLine('MODIFIED', { name: 'a', version: 12 }));
    call.send(watchLine('DELETED', { name: 'b', version: 13 }));
    await settled();

    expect(atSync).toEqual(['synced', 'default/a', 'default/b']);
    expect(told.slice(1)).toEqual(['Added default/c', 'Modified default/a', 'Deleted default/b']);
    expect(names()).toEqual(['default/a', 'default/c']);
  });

  it('counts what came with the first list and later, changed and went, and that nothing was left', async () => {
    const { client, monitor } = rigOf();
    const call = await client.next();
    expect(monitor.operations()).toEqual({ added: 0, deleted: 0, modified: 0, cleaned: 0 });
    answerList(call, { name: 'b' }, { name: 'a' });
    await settled();
    call.send(watchLine('ADDED', { name: 'c', version: 11 }), watchLine('MODIFIED', { name: 'a', version: 12 }));
    await settled();
    expect(monitor.operations()).toEqual({ added: 3, deleted: 0, modified: 1, cleaned: 0 });

    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      call.send(watchLine('DELETED', { name, version: 13 + index }));
      await settled();
    }
    expect(monitor.operations()).toEqual({ added: 3, deleted: 3, modified: 1, cleaned: 1 });
  });

  it('sorts its snapshot by namespace, then by name', async () => {
    const { client, names } = rigOf();

    answerList(
      await client.next(),
      { namespace: 'b', name: 'a' },
      { namespace: 'a', name: 'z' },
      { namespace: 'a', name: 'b' },
    );
    await settled();

    expect(names()).toEqual(['a/b', 'a/z', 'b/a']);
  });

  it('gives the same snapshot until something changes, and leaves the old one as it was', async () => {
    const { client, monitor } = rigOf();
    const call = await client.next();
    answerList(call, { name: 'a' });
    await settled();
    const before = monitor.snapshot();
    const again = monitor.snapshot();

    call.send(watchLine('ADDED', { name: 'b', version: 11 }));
    await settled();

    expect(again).toBe(before);
    expect(before).toHaveLength(1);
    expect(monitor.snapshot()).toHaveLength(2);
  });

  it.each([
    { names: [], expected: [] },
    { names: ['Added'], expected: ['Added'] },
    { names: ['Modified', 'Deleted'], expected: ['Modified', 'Deleted'] },
  ] as const)(
    'tells of no events but those of executeHookOnEvent: $names',
    async ({ names: executeHookOnEvent, expected }) => {
      const rig = rigOf({ binding: { executeHookOnEvent } });
      const call = await rig.client.next();
      answerList(call);
      call.send(watchLine('ADDED', { name: 'a', version: 11 }), watchLine('MODIFIED', { name: 'a', version: 12 }));
      await settled();
      const shown = rig.names();
      call.send(watchLine('DELETED', { name: 'a', version: 13 }));
      await settled();

      expect(rig.told.slice(1).map((line) => line.split(' ')[0])).toEqual(expected);
      expect(shown).toEqual(['default/a']);
      expect([...rig.metrics.eventsSuppressed.series][0]?.value ?? 0).toBe(3 - expected.length);
    },
  );

  it('knows the whole object as it was at the event', async () => {
    const { client, items, monitor } = rigOf();
    const call = await client.next();
    answerList(call, { name: 'a' });
    call.send(watchLine('MODIFIED', { name: 'a', version: 11, data: { x: 'ä' } }));
    call.send(watchLine('MODIFIED', { name: 'a', version: 12 }));
    await settled();

    const texts = [...items, ...monitor.snapshot()].map(({ object }) => Buffer.from(object ?? []).toString());
    expect(
      texts.map((text) => (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion),
    ).toEqual(['11', '12', '12']);
    expect(texts[0]).toContain('"data":{"x":"ä"}');
  });

  it('keeps no object with keepFullObjectsInMemory: false', async () => {
    const { client, monitor } = rigOf({ binding: { keepFullObjectsInMemory: false } });

    answerList(await client.next(), { name: 'a' });
    await settled();

    expect(monitor.snapshot()).toEqual([{ namespace: 'default', name: 'a' }]);
  });

  it('delivers a deletion with the last state of the server', async () => {
    const { client, items } = rigOf();
    const call = await client.next();
    answerList(call, { name: 'a' });
    call.send(watchLine('DELETED', { name: 'a', version: 99 }));
    await settled();

    expect(Buffer.from(items[0]?.object ?? []).toString()).toContain('"resourceVersion":"99"');
  });

  it('delivers a deletion it did not see with the last known state (point 14)', async () => {
    const { client, items, told } = rigOf();
    const call = await client.next();
    answerList(call, { name: 'a', version: 5 }, { name: 'b' });
    await settled();
    call.fail(statusError(410));
    answerList(await client.next(), { name: 'b' });
    await settled();

    expect(told).toEqual(['synced', 'Deleted default/a']);
    expect(Buffer.from(items[0]?.object ?? []).toString()).toContain('"resourceVersion":"5"');
  });

  it('tells a namesake with a new uid from its predecessor (point 15)', async () => {
    const { client, told } = rigOf();
    const call = await client.next();
    answerList(call, { name: 'a', uid: 'u1' });
    call.send(watchLine('ADDED', { name: 'a', uid: 'u2', version: 11 }));
    await settled();
    call.fail(statusError(410));
    answerList(await client.next(), { name: 'a', uid: 'u3', version: 12 });
    await settled();

    expect(told.slice(1)).toEqual(['Deleted default/a', 'Added default/a', 'Deleted default/a', 'Added default/a']);
  });

  it('is synced with nothing when there is nothing', async () => {
    const { client, monitor, told } = rigOf();

    answerList(await client.next());
    await settled();

    expect(told).toEqual(['synced']);
    expect(monitor.snapshot()).toEqual([]);
  });

  it('lists again in each resynchronizationPeriod, and tells only what differs', async () => {
    const { client, told } = rigOf({ binding: { resynchronizationPeriodMs: 60_000 } });
    const call = await client.next();
    answerList(call, { name: 'a' }, { name: 'b' });
    await settled();

    await vi.advanceTimersByTimeAsync(60_000);
    answerList(await client.next(), { name: 'b', version: 2 }, { name: 'c' });
    await settled();
    await vi.advanceTimersByTimeAsync(60_000);
    await client.next();

    expect(call.isAborted).toBe(true);
    expect(told).toEqual(['synced', 'Deleted default/a', 'Modified default/b', 'Added default/c']);
  });

  it('ends its watches with its signal', async () => {
    const rig = monitorRig();
    const call = await rig.client.next();
    answerList(call);
    await settled();

    await rig.stop();

    expect(call.isAborted).toBe(true);
    expect([...rig.metrics.snapshotObjects.series]).toEqual([]);
  });
});

describe('a monitor of several targets', () => {
  it('watches each name in each namespace, and is synced when all are listed', async () => {
    const { client, names, told } = rigOf({
      binding: { names: ['x', 'y'], namespace: { type: 'names', names: ['n2', 'n1'] } },
    });
    const calls = [await client.next(), await client.next(), await client.next(), await client.next()];
    const [first, ...others] = calls;
    for (const call of others) {
      const name = String(call.query['fieldSelector']).replace('metadata.name=', '');
      answerList(call, { namespace: call.path.split('/')[4] ?? '', name });
    }
    await settled();
    const before = [...told];
    if (first !== undefined) answerList(first);
    await settled();

    expect(before).toEqual([]);
    expect(told).toEqual(['synced']);
    expect(calls.map(({ path, query }) => `${path} ${query['fieldSelector']}`)).toEqual([
      '/api/v1/namespaces/n2/configmaps metadata.name=x',
      '/api/v1/namespaces/n2/configmaps metadata.name=y',
      '/api/v1/namespaces/n1/configmaps metadata.name=x',
      '/api/v1/namespaces/n1/configmaps metadata.name=y',
    ]);
    expect(names()).toEqual(['n1/x', 'n1/y', 'n2/y']);
  });

  it('counts what happens before it is synced to the initial batch', async () => {
    const { client, names, told } = rigOf({ binding: { namespace: { type: 'names', names: ['n1', 'n2'] } } });
    const [first, second] = [await client.next(), await client.next()];
    answerList(first, { namespace: 'n1', name: 'a' });
    first.send(watchLine('ADDED', { namespace: 'n1', name: 'b', version: 11 }));
    first.send(watchLine('DELETED', { namespace: 'n1', name: 'a', version: 12 }));
    await settled();

    answerList(second);
    await settled();

    expect(told).toEqual(['synced']);
    expect(names()).toEqual(['n1/b']);
  });

  it('shows the number of objects of all of them', async () => {
    const { client, metrics } = rigOf({ binding: { namespace: { type: 'names', names: ['n1', 'n2'] } } });

    answerList(await client.next(), { namespace: 'n1', name: 'a' });
    answerList(await client.next(), { namespace: 'n2', name: 'a' }, { namespace: 'n2', name: 'b' });
    await settled();

    expect([...metrics.snapshotObjects.series]).toMatchObject([
      { labels: { hook: 'hook.sh', binding: 'kubernetes', queue: 'main' }, value: 3 },
    ]);
  });

  it('is as old as the oldest contact of its watches', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    vi.setSystemTime(1_000_000);
    const { client, monitor } = rigOf({ binding: { namespace: { type: 'names', names: ['n1', 'n2'] } } });
    const [first, second] = [await client.next(), await client.next()];
    answerList(first);
    await settled();
    const half = monitor.status().lastContactAtMs;
    answerList(second);
    await settled();
    vi.setSystemTime(2_000_000);
    second.send(bookmark(11));
    await settled();

    expect(half).toBeUndefined();
    expect(monitor.status()).toEqual({ isSynced: true, lastContactAtMs: 1_000_000 });
  });

  it('watches a cluster-scoped kind once, whatever namespaces it names', async () => {
    const node = resourceKind('Node', { isNamespaced: false });
    const { client } = rigOf({
      binding: { kind: 'Node', namespace: { type: 'names', names: ['n1', 'n2'] } },
      kinds: [node],
    });
    const call = await client.next();
    await settled();

    expect(call.path).toBe('/api/v1/nodes');
    expect(client.calls).toHaveLength(1);
  });
});

describe('a monitor of namespaces by label', () => {
  const binding = { namespace: { type: 'labels', labelSelector: { matchLabels: { team: 'x' } } } } as const;
  const start = async () => {
    const rig = rigOf({ binding });
    const namespaces = await rig.client.next();
    answerList(namespaces, { namespace: '', name: 'n1' });
    const first = await rig.client.next();
    answerList(first, { namespace: 'n1', name: 'a' });
    await settled();
    return { ...rig, namespaces, first };
  };

  it('watches the namespaces that match, and is synced when their objects are listed', async () => {
    const { first, namespaces, names, told } = await start();

    expect(namespaces.path).toBe('/api/v1/namespaces');
    expect(namespaces.query['labelSelector']).toBe('team=x');
    expect(first.path).toBe('/api/v1/namespaces/n1/configmaps');
    expect([...told, ...names()]).toEqual(['synced', 'n1/a']);
  });

  it('yields Added for the objects of a namespace that starts to match', async () => {
    const { client, namespaces, names, told } = await start();
    namespaces.send(watchLine('ADDED', { namespace: '', name: 'n2', version: 11 }));

    answerList(await client.next(), { namespace: 'n2', name: 'b' });
    await settled();

    expect(told.slice(1)).toEqual(['Added n2/b']);
    expect(names()).toEqual(['n1/a', 'n2/b']);
  });

  it('yields Deleted for the objects of a namespace that stops', async () => {
    const { first, namespaces, names, told } = await start();

    namespaces.send(watchLine('DELETED', { namespace: '', name: 'n1', version: 11 }));
    await settled();

    expect(told.slice(1)).toEqual(['Deleted n1/a']);
    expect(names()).toEqual([]);
    expect(first.isAborted).toBe(true);
  });

  it('yields them too when it missed the change and listed again', async () => {
    const { client, namespaces, told } = await start();
    namespaces.fail(statusError(410));
    answerList(await client.next(), { namespace: '', name: 'n2' });
    answerList(await client.next(), { namespace: 'n2', name: 'b' });
    await settled();

    expect(told.slice(1)).toEqual(['Deleted n1/a', 'Added n2/b']);
  });

  it('is synced with nothing when none matches', async () => {
    const { client, told } = rigOf({ binding });

    answerList(await client.next());
    await settled();

    expect(told).toEqual(['synced']);
  });

  it('is not synced too soon when the namespaces change before', async () => {
    const { client, told } = rigOf({ binding });
    const namespaces = await client.next();
    answerList(namespaces, { namespace: '', name: 'n1' });
    await client.next();
    namespaces.send(watchLine('ADDED', { namespace: '', name: 'n2', version: 11 }));
    namespaces.send(watchLine('DELETED', { namespace: '', name: 'n1', version: 12 }));
    const second = await client.next();
    await settled();
    const before = [...told];
    answerList(second, { namespace: 'n2', name: 'b' });
    await settled();

    expect([before, told]).toEqual([[], ['synced']]);
  });

  it('tries again where a namespace is denied, and has the others meanwhile', async () => {
    const { client, monitor, namespaces, told } = await start();
    namespaces.send(watchLine('ADDED', { namespace: '', name: 'n2', version: 11 }));
    (await client.next()).fail(statusError(403, { message: 'forbidden in n2' }));
    await settled();
    const problem = monitor.status().problem;

    await vi.advanceTimersByTimeAsync(800);
    (await client.next()).reply(kubeList([{ namespace: 'n2', name: 'b' }]));
    await settled();

    expect(problem).toBe('forbidden in n2');
    expect(told.slice(1)).toEqual(['problem forbidden in n2', 'Added n2/b']);
    expect(monitor.status().problem).toBeUndefined();
  });
});
