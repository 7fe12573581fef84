import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { controlClient } from '../../src/cli/control/client.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const LIMIT_MS = 60_000;
const MAPS = '/api/v1/namespaces/default/configmaps';

async function rig(hooks: Readonly<Record<string, string>>, operator: object = {}) {
  const sandbox = await sandboxForTest();
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const connect = sandboxCluster(sandbox);
  const path = join(folder.path, 'hooklet.socket');
  const kube = createKubeClient(await connect(), { userAgent: 'test' });
  onTestFinished(async () => kube.close());
  const never = new AbortController().signal;
  const merge = 'application/merge-patch+json';
  return {
    start: () =>
      startOperator({ connect, hooks, operator: { controlSocket: { path, isRequired: true }, ...operator } }),
    control: controlClient(path),
    create: async (name: string, annotations: object = {}) =>
      kube.request(
        {
          method: 'POST',
          path: MAPS,
          body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data: {} }),
        },
        never,
      ),
    patch: async (at: string, body: object) =>
      kube.request({ method: 'PATCH', path: at, body: JSON.stringify(body), contentType: merge }, never),
  };
}

function pauseWith(value: string | null) {
  return { metadata: { annotations: { 'hooklet.dev/pause': value } } };
}

const binding = {
  name: 'maps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  executeHookOnEvent: ['Added'],
  jqFilter: '.metadata.name',
  keepFullObjectsInMemory: false,
  executeHookOnSynchronization: false,
};

describe('a pause in an operator', { timeout: LIMIT_MS }, () => {
  it('by an annotation ends with it, though the filterResult is the same and Modified does not run the hook', async () => {
    const { start, create, patch, control } = await rig({
      'maps.sh': recordingHook({ configVersion: 'v1', kubernetes: [binding] }),
    });
    await using operator = start();
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
    await create('held', { 'hooklet.dev/pause': 'true' });
    await create('free');
    await until(() => expect(operator.contexts('maps.sh')).toMatchObject([{ filterResult: 'free' }]));
    expect(await control.ask('GET', '/pauses')).toEqual({
      pauses: [{ type: 'object', kind: 'ConfigMap', namespace: 'default', name: 'held', by: 'annotation', held: 1 }],
    });

    await patch(`${MAPS}/held`, pauseWith(null));

    await until(() =>
      expect(operator.contexts('maps.sh')).toMatchObject([{ filterResult: 'free' }, { filterResult: 'held' }]),
    );
    expect(await control.ask('GET', '/pauses')).toEqual({ pauses: [] });
  });

  it('of a namespace holds its events where that is asked for', async () => {
    const { start, create, patch } = await rig(
      { 'maps.sh': recordingHook({ configVersion: 'v1', kubernetes: [binding] }) },
      { pauseByNamespace: true },
    );
    await patch('/api/v1/namespaces/default', pauseWith('true'));
    await using operator = start();
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
    await create('held');
    await until(async () =>
      expect(await (await fetch(`${operator.url()}/metrics`)).text()).toContain('paused_tasks{hook="maps.sh"} 1'),
    );
    expect(operator.contexts('maps.sh')).toEqual([]);
    await patch('/api/v1/namespaces/default', pauseWith(null));

    await until(() => expect(operator.contexts('maps.sh')).toMatchObject([{ filterResult: 'held' }]));
  });

  it('of a hook survives a change of its file and a restart, and then runs it once', async () => {
    const config = {
      configVersion: 'v1',
      onStartup: 1,
      kubernetes: [{ ...binding, executeHookOnSynchronization: true }],
    };
    const hook = recordingHook(config);
    const other = recordingHook({ configVersion: 'v1', onStartup: 9 });
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const deadLetters = { type: 'file', path: join(folder.path, 'dead.json'), isForced: true };
    const { start, control, create } = await rig({ 'maps.sh': hook, 'other.sh': other }, { deadLetters });
    await create('one');
    {
      await using operator = start();
      await until(() =>
        expect(operator.contexts('maps.sh')).toMatchObject([{ binding: 'onStartup' }, { binding: 'maps' }]),
      );
      expect(await control.ask('POST', '/pauses/pause?hook=maps.sh')).toEqual({ kept: true });
      operator.change('maps.sh', `${hook}\n# changed\n`);
      await until(async () => expect(await control.ask('GET', '/pauses')).toMatchObject({ pauses: [{ held: 2 }] }));
      expect(operator.contexts('maps.sh')).toHaveLength(2);
    }
    await using operator = start();
    await until(() => expect(operator.contexts('other.sh')).toHaveLength(1));
    await until(async () => expect(await control.ask('GET', '/pauses')).toMatchObject({ pauses: [{ held: 2 }] }));
    expect(operator.contexts('maps.sh')).toEqual([]);

    expect(await control.ask('POST', '/pauses/resume?hook=maps.sh')).toEqual({ released: 2 });

    await until(() =>
      expect(operator.contexts('maps.sh')).toMatchObject([{ binding: 'onStartup' }, { binding: 'maps' }]),
    );
  });
});
