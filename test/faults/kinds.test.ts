import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, describe } from 'vitest';
import { startSandbox } from '@hooklet/sandbox';
import { widgetDefinition } from '@hooklet/sandbox/testing';
import { configMap, CONFIG_MAPS_PATH, currentCluster, startFaultRig } from '../support/fault-rig.ts';
import { lastStates, sightingsOf } from '../support/fault-ledger.ts';
import { recordingHook, startOperator, until, type OperatorRig } from '../support/operator-rig.ts';
import { within } from '../support/within.ts';

const widgets = { name: 'widgets', apiVersion: 'example.com/v1', kind: 'Widget', queue: 'widgets' };
const labelled = {
  name: 'maps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  queue: 'labelled',
  namespace: { labelSelector: { matchLabels: { watched: 'yes' } } },
};

const widget = (name: string, color: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  spec: { color },
});
const namespace = (name: string, watched: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { watched } },
});
const seenBy = (operator: OperatorRig, hook: string): readonly string[] =>
  lastStates(sightingsOf(operator.contexts(hook))).map((state) => state.split('=')[0] ?? '');

describe('an operator', () => {
  it('waits for an API server that is down at boot, and has its hooks run within 3 s once it is there', async () => {
    const { port, close } = await listenWithoutAnswers();
    const cluster = currentCluster({ url: `http://127.0.0.1:${port}`, token: 'known' });
    await using operator = startOperator({
      connect: cluster,
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', kubernetes: [{ ...labelled, namespace: undefined }] }) },
    });
    await until(() => expect(operator.lines.map(({ level }) => level)).toContain('warn'));

    await close();
    await using sandbox = await startSandbox({ port });
    sandbox.rotateToken('known');
    await sandbox.apply(configMap('a', '1'));

    await within(3000, () => expect(seenBy(operator, 'hook.sh')).toContain('a'));
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
  });

  it.each([
    ['answers 500', { type: 'status', code: 500 }],
    ['answers 429', { type: 'status', code: 429, retryAfterSeconds: 1 }],
    ['is forbidden', { type: 'status', code: 403 }],
    ['never answers', { type: 'silence' }],
  ] as const)(
    'serves all other hooks while one kind %s for ever, and that one within 3 s when it is well',
    async (_what, fault) => {
      await using rig = await startFaultRig();
      await rig.sandbox.apply(widgetDefinition());
      await rig.sandbox.apply(widget('w', 'red'));
      const end = rig.sandbox.faults.add({ ...fault, path: '/apis/example.com/v1/widgets' });

      rig.operator.change('bad.sh', recordingHook({ configVersion: 'v1', kubernetes: [widgets] }));
      await until(() => expect(rig.sandbox.requests.some(({ path }) => path.endsWith('/widgets'))).toBe(true));
      await rig.put('a', '1');
      await rig.remove('b');
      await rig.caughtUp();
      expect(rig.operator.runs('bad.sh')).toEqual([]);
      if (fault.type === 'silence') return;

      end();
      await within(3000, () => expect(seenBy(rig.operator, 'bad.sh')).toEqual(['w']));
    },
  );

  it('follows a kind that vanishes and returns, each within 3 s', async () => {
    await using rig = await startFaultRig();
    await rig.sandbox.apply(widgetDefinition());
    await rig.sandbox.apply(widget('before', 'red'));
    rig.operator.change('widgets.sh', recordingHook({ configVersion: 'v1', kubernetes: [widgets] }));
    await until(() => expect(seenBy(rig.operator, 'widgets.sh')).toEqual(['before']));

    await rig.sandbox.delete(widgetDefinition());
    await within(3000, () => expect(seenBy(rig.operator, 'widgets.sh')).toEqual([]));
    await rig.sandbox.apply(widgetDefinition());
    await rig.sandbox.apply(widget('after', 'blue'));

    await within(3000, () => expect(seenBy(rig.operator, 'widgets.sh')).toEqual(['after']));
    await rig.put('a', '1');
    await rig.caughtUp();
  });

  it('follows a namespace that is relabelled to and fro, also while watches are down, within 3 s', async () => {
    await using rig = await startFaultRig({
      hooks: { 'labelled.sh': recordingHook({ configVersion: 'v1', kubernetes: [labelled] }) },
    });
    const { sandbox, operator } = rig;
    await sandbox.apply(namespace('team', 'yes'));
    await sandbox.apply({ ...configMap('m', '1'), metadata: { name: 'm', namespace: 'team' } });
    await within(3000, () => expect(seenBy(operator, 'labelled.sh')).toEqual(['m']));

    await sandbox.apply(namespace('team', 'no'));
    await within(3000, () => expect(seenBy(operator, 'labelled.sh')).toEqual([]));
    const end = sandbox.faults.add({ type: 'hangUp', watch: true });
    sandbox.dropWatches();
    for (const watched of ['yes', 'no', 'yes', 'no', 'yes']) await sandbox.apply(namespace('team', watched));
    await sandbox.apply({ ...configMap('n', '1'), metadata: { name: 'n', namespace: 'team' } });
    end();

    await within(3000, () => expect(seenBy(operator, 'labelled.sh')).toEqual(['m', 'n']));
    await rig.caughtUp();
  });

  it('goes on without a list when a request for it is cut anywhere', async () => {
    await using rig = await startFaultRig();

    for (const afterBytes of [0, 1, 100, 1000]) {
      rig.sandbox.faults.add({ type: 'hangUp', afterBytes, path: CONFIG_MAPS_PATH, watch: true, times: 1 });
      rig.sandbox.dropWatches();
      await rig.put('a', `after ${afterBytes}`);
    }

    await rig.caughtUp();
    expect(rig.lists()).toBe(0);
    expect(rig.values('a')).toEqual(['0', 'after 0', 'after 1', 'after 100', 'after 1000']);
  });
});

/** Reserves a port, and closes every connection to it. */
async function listenWithoutAnswers() {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: async (): Promise<void> => void (await once(server.close(), 'close')),
  };
}
