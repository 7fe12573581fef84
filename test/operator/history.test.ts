import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { controlClient } from '../../src/cli/control/client.ts';
import type { OperatorStatus, WhyView } from '../../src/hook/operator-view.ts';
import type { RunRecord } from '../../src/hook/run-record.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const LIMIT_MS = 60_000;
const kubernetes = [
  {
    name: 'maps',
    kind: 'ConfigMap',
    executeHookOnSynchronization: false,
    labelSelector: { matchLabels: { app: 'web' } },
    namespace: { labelSelector: { matchLabels: { team: 'a' } } },
    jqFilter: '.data',
  },
  {
    name: 'secrets',
    kind: 'Secret',
    nameSelector: { matchNames: ['tls'] },
    executeHookOnEvent: [],
    executeHookOnSynchronization: false,
  },
];

function configMap(name: string, fields: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'team-a', labels: { app: 'web' } },
    data: { password: 'hunter2' },
    ...fields,
  };
}

/** An operator on a sandbox with a namespace `team-a`, and its control socket. */
async function rig(body = 'echo printed') {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const sandbox = await sandboxForTest();
  for (const [name, team] of [
    ['team-a', 'a'],
    ['team-b', 'b'],
  ]) {
    await sandbox.apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: name ?? '', labels: { team: team ?? '' } },
    });
  }
  const path = join(folder.path, 'hooklet.socket');
  const runHistory = { type: 'file', path: join(folder.path, 'runs') } as const;
  const start = () =>
    startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', kubernetes }, body) },
      operator: { controlSocket: { path, isRequired: true }, runHistory },
    });
  const client = controlClient(path);
  const runs = async (query = '') => (await client.ask('GET', `/runs?${query}`))['runs'] as readonly RunRecord[];
  return { sandbox, start, client, runs };
}

describe('the history of an operator', { timeout: LIMIT_MS }, () => {
  it('remembers runs with their output but no contents of objects, over a restart, with 0 requests to the API', async () => {
    const { sandbox, start, client, runs } = await rig();
    const before = start();
    await until(async () => expect((await fetch(`${before.url()}/readyz`)).status).toBe(200));
    sandbox.clearRequests();
    for (const name of ['one', 'two', 'three']) await sandbox.apply(configMap(name));
    await until(async () => expect(await runs('object=team-a/three')).toMatchObject([{ outcome: 'succeeded' }]));

    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    const all = await runs();
    const known = all.find(({ objects }) => objects.some(({ name }) => name === 'three'));
    expect(known).toMatchObject({ hook: 'hook.sh', binding: 'maps', queue: 'main', attempt: 1, lines: 1 });
    expect(JSON.stringify(all)).not.toContain('hunter2');
    expect(before.lines.filter(({ message }) => message === 'hook finished')).toMatchObject(
      all.toReversed().map(({ id }) => ({ fields: { run: id } })),
    );
    await before.stop();

    await using after = start();
    await until(async () =>
      expect((await runs()).map(({ id }) => id)).toEqual(expect.arrayContaining(all.map(({ id }) => id))),
    );
    expect(await client.ask('GET', `/runs/${known?.id.slice(0, 12) ?? ''}/logs`)).toMatchObject({
      lines: [{ stream: 'stdout', line: 'printed' }],
      ended: true,
    });
    await after.stop();
  });

  it('says what a reconcile binding watches and owns decides about an object', async () => {
    const { sandbox, start, client } = await rig();
    const reconcile = [
      {
        name: 'maps',
        apiVersion: 'v1',
        kind: 'ConfigMap',
        owns: [{ apiVersion: 'v1', kind: 'Service' }],
        watches: [{ name: 'keys', apiVersion: 'v1', kind: 'Secret', for: '.metadata.name' }],
      },
    ];
    await sandbox.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web', namespace: 'team-a' } });
    await sandbox.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { ports: [{ port: 80 }] },
    });
    await using operator = start();
    operator.change('maps.sh', recordingHook({ configVersion: 'v1', reconcile }));
    const why = async (object: string) => {
      const answer = (await client.ask('GET', `/why?hook=maps.sh&object=${object}`))['why'] as WhyView;
      return answer.bindings.map(({ binding, runs, checks }) => `${binding} ${runs}: ${checks.at(-1)?.field}`);
    };
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));

    await until(async () =>
      expect(await why('Secret/team-a/web')).toEqual(['maps no: kind', 'maps/keys unknown: for']),
    );
    expect(await why('Service/team-a/web')).toEqual(['maps no: kind', 'maps/Service no: labelSelector']);
  });

  it('says which selector or filter decides about an object', async () => {
    const { sandbox, start, client } = await rig();
    await sandbox.apply(configMap('known'));
    await sandbox.apply(configMap('other', { metadata: { name: 'other', namespace: 'team-a', labels: { app: 'x' } } }));
    await sandbox.apply(configMap('far', { metadata: { name: 'far', namespace: 'team-b', labels: { app: 'web' } } }));
    await using operator = start();
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
    const why = async (object: string) => {
      const answer = (await client.ask('GET', `/why?hook=hook.sh&object=${object}`))['why'] as WhyView;
      return Object.fromEntries(
        answer.bindings.map(({ binding, runs, checks }) => [
          binding,
          `${runs}: ${checks.at(-1)?.field} ${checks.at(-1)?.message}`,
        ]),
      );
    };

    expect(await why('team-a/known')).toEqual({
      maps: 'yes: jqFilter only a change of the result of .data runs the hook',
      secrets: 'no: nameSelector it has tls, not known',
    });
    expect(await why('team-a/other')).toMatchObject({
      maps: 'no: labelSelector the labels of the object do not match',
    });
    expect(await why('team-b/far')).toMatchObject({
      maps: 'no: namespace.labelSelector the labels of namespace team-b do not match',
    });
    expect(await why('gone/known')).toMatchObject({ maps: 'no: namespace there is no Namespace gone now' });
    expect(await why('team-a/gone')).toMatchObject({ maps: 'no: object there is no ConfigMap gone now' });
    expect(await why('Pod/team-a/known')).toMatchObject({ maps: 'no: kind it is ConfigMap, the object a Pod' });
    expect(await why('Nope/team-a/known')).toMatchObject({ maps: expect.stringMatching(/^unknown: kind /) });
    expect(await why('known')).toMatchObject({
      maps: 'unknown: namespace a ConfigMap is in a namespace: give NAMESPACE/known',
    });
    expect(await why('team-a/..')).toMatchObject({ maps: expect.stringMatching(/^unknown: object /) });
    await sandbox.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tls', namespace: 'team-a' } });
    expect(await why('team-a/tls')).toMatchObject({
      secrets: 'no: executeHookOnEvent it is empty: no event runs the hook',
    });
    await expect(client.ask('GET', '/why?hook=hok.sh&object=a/b')).rejects.toThrow('did you mean hook.sh?');
    await expect(client.ask('GET', '/why?hook=hook.sh&object=a/b/c/d')).rejects.toThrow('an object is NAMESPACE/NAME');
  });

  it('shows what runs, what waits and until when, and what fails', async () => {
    const { sandbox, start, client } = await rig('exit 3');
    await using operator = start();
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
    await sandbox.apply(configMap('bad'));
    const status = async () => (await client.ask('GET', '/status'))['status'] as OperatorStatus;

    await until(async () =>
      expect(await status()).toMatchObject({
        role: 'alone',
        hooks: { loaded: 1, broken: [], starting: [] },
        queues: [{ queue: 'main', waiting: 1, delayedUntil: expect.any(String), tasks: [{ attempt: 2 }] }],
        failing: [
          {
            hook: 'hook.sh',
            binding: 'maps',
            objects: 1,
            object: 'team-a/bad',
            message: 'hook hook.sh failed: exit code 3',
            again: expect.any(String),
          },
        ],
      }),
    );
    operator.change('hook.sh', '#!/bin/sh\nexit 1');
    await until(async () => expect((await status()).hooks.broken).toMatchObject([{ hook: 'hook.sh' }]));
    expect((await status()).failing).toEqual([]);
  });
});
