import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { within } from '../support/within.ts';

const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels },
  data,
});
const watchConfigMaps = {
  name: 'maps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: { nameSelector: { matchNames: ['default'] } },
};
const summary = (context: Readonly<Record<string, unknown>>) => {
  const object = context['object'] as { metadata: { name: string } } | undefined;
  return [context['type'], context['watchEvent'], object?.metadata.name].filter(Boolean).join(' ');
};

describe('the operator', () => {
  it('runs onStartup hooks by their number, then Synchronizations by path, then events', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(configMap('before'));
    const kubernetes = [watchConfigMaps];
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'a.sh': recordingHook({ configVersion: 'v1', onStartup: 20, kubernetes }),
        'b.sh': recordingHook({ configVersion: 'v1', onStartup: 10, kubernetes }),
      },
    });
    await until(() => expect(operator.runs('b.sh')).toHaveLength(2));

    await sandbox.apply(configMap('after'));
    await until(() => expect(operator.contexts('b.sh').map(summary)).toContain('Event Added after'));

    expect(operator.contexts('a.sh')[0]).toEqual({ binding: 'onStartup' });
    const finished = operator.lines.filter(({ message }) => message === 'hook finished');
    expect(finished.slice(0, 4).map(({ fields }) => `${fields.hook} ${fields.event}`)).toEqual([
      'b.sh onStartup',
      'a.sh onStartup',
      'a.sh Synchronization',
      'b.sh Synchronization',
    ]);
    expect(operator.runs('b.sh')[1]?.[0]).toMatchObject({
      objects: expect.arrayContaining([
        { object: expect.objectContaining({ metadata: expect.objectContaining({ name: 'before' }) }) },
      ]),
    });
  });

  it('applies what a hook asked once it exited 0, and nothing when it did not', async () => {
    const sandbox = await sandboxForTest();
    const patch = (name: string) =>
      `echo '${JSON.stringify({ operation: 'CreateOrUpdate', object: configMap(name) })}' > "$KUBERNETES_PATCH_PATH"`;
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'good.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, patch('made-by-good')),
        'bad.sh': recordingHook(
          { configVersion: 'v1', kubernetes: [{ ...watchConfigMaps, allowFailure: true }] },
          `${patch('made-by-bad')}\nexit 3`,
        ),
      },
    });

    await until(() =>
      expect(operator.lines.map(({ message }) => message)).toContain('hook failed, which its binding allows'),
    );

    expect((await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/made-by-good')).code).toBe(200);
    expect((await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/made-by-bad')).code).toBe(404);
  });

  it('keeps events back until the Synchronization of their binding succeeded', async () => {
    const sandbox = await sandboxForTest();
    const wait = 'while ! [ -e "$OUT/go" ]; do sleep 0.01; done';
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        // Is enabled first, and gets the same events without delay.
        'fast.sh': recordingHook({
          configVersion: 'v1',
          kubernetes: [{ ...watchConfigMaps, queue: 'third', executeHookOnSynchronization: false }],
        }),
        'slow.sh': recordingHook({ configVersion: 'v1', kubernetes: [{ ...watchConfigMaps, queue: 'other' }] }, wait),
      },
    });
    await until(() => expect(operator.runs('slow.sh')).toHaveLength(1));

    await sandbox.apply(configMap('during'));
    await sandbox.apply(configMap('during', { changed: 'yes' }));
    await until(() => expect(operator.contexts('fast.sh').map(summary)).toContain('Event Modified during'));
    expect(operator.runs('slow.sh')).toHaveLength(1);
    operator.change('../out/go', 'x');

    await until(() =>
      expect(operator.contexts('slow.sh').map(summary)).toEqual([
        'Synchronization',
        'Event Added during',
        'Event Modified during',
      ]),
    );
  });

  it('lets a hook whose kind is missing wait alone, and enables it when the kind comes', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'a-missing.sh': recordingHook({
          configVersion: 'v1',
          kubernetes: [{ name: 'crons', apiVersion: 'stable.example.com/v1', kind: 'CronTab' }],
        }),
        'b-fine.sh': recordingHook({ configVersion: 'v1', kubernetes: [watchConfigMaps] }),
      },
    });
    await until(() => expect(operator.runs('b-fine.sh')).toHaveLength(1));
    const ready = await fetch(`${operator.url()}/readyz?verbose`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toMatch(/\[-\]watch a-missing\.sh\/crons: .*CronTab/);

    await sandbox.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'crontabs.stable.example.com' },
      spec: {
        group: 'stable.example.com',
        scope: 'Namespaced',
        names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });

    await until(() => expect(operator.contexts('a-missing.sh').map(summary)).toEqual(['Synchronization']));
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
  });

  it('reports a broken hook with all its problems and runs the others', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'broken.sh': recordingHook({ configVersion: 'v1', schedule: [{ crontab: '99 * * * *' }], kubernetes: [{}] }),
        'fine.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }),
      },
    });
    await until(() => expect(operator.runs('fine.sh')).toHaveLength(1));

    const report = String(operator.lines.find(({ message }) => message.startsWith('hook is broken'))?.fields.err);
    expect(report).toContain('schedule[0].crontab');
    expect(report).toContain('kubernetes[0].kind');
    const ready = await (await fetch(`${operator.url()}/readyz`)).text();
    expect(ready).toContain('[-]hook broken.sh');
  });

  it('tells nothing that hooks print or write at /readyz and in Events: that is in the log', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      env: { POD_NAME: 'pod-1', POD_NAMESPACE: 'default', TOKEN: 's3cret' },
      hooks: {
        'broken.sh': '#!/bin/sh -x\n: "$TOKEN"\necho "s3cret: {"; exit 3',
        'invalid.sh': '#!/bin/sh\necho "{configVersion: v1, s3cret: $TOKEN}"',
        'fails.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, 'set -x\n: "$TOKEN"\nexit 7'),
      },
    });
    const events = async () => JSON.stringify((await sandbox.call('GET', '/api/v1/namespaces/default/events')).body);
    await until(async () => expect(await events()).toContain('HookFailed'));

    const ready = await (await fetch(`${operator.url()}/readyz?verbose`)).text();
    const told = await events();
    expect(ready).toContain('[-]hook broken.sh: hook broken.sh: --config exited with code 3');
    expect(ready).toContain('[-]hook invalid.sh: hook invalid.sh: its config has ');
    expect(told).toContain('hook fails.sh: exit code 7');
    expect(`${ready}${told}`).not.toContain('s3cret');
    const logged = operator.lines.map(({ fields }) => `${String(fields.err)} ${String(fields['line'])}`).join('\n');
    expect(logged).toContain('s3cret');
  });

  it('reloads an edited hook, starts a new one and ends a removed one', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'edited.sh': recordingHook({ configVersion: 'v1', kubernetes: [watchConfigMaps] }),
        'removed.sh': recordingHook({ configVersion: 'v1', kubernetes: [watchConfigMaps] }),
      },
    });
    await until(() =>
      expect([operator.runs('edited.sh'), operator.runs('removed.sh')].map(({ length }) => length)).toEqual([1, 1]),
    );

    operator.change('removed.sh');
    operator.change(
      'edited.sh',
      recordingHook({ configVersion: 'v1', kubernetes: [{ ...watchConfigMaps, name: 'renamed' }] }),
    );
    operator.change('new.sh', recordingHook({ configVersion: 'v1', kubernetes: [watchConfigMaps] }));
    await until(() => expect(operator.runs('new.sh')).toHaveLength(1));
    await until(() => expect(operator.contexts('edited.sh').at(-1)?.['binding']).toBe('renamed'));
    await sandbox.apply(configMap('later'));

    await until(() => expect(operator.contexts('new.sh').map(summary)).toContain('Event Added later'));
    expect(operator.runs('removed.sh')).toHaveLength(1);
  });

  it('runs a mended hook within 2 s, though its failed run waits 5 s to be repeated', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, 'exit 1') },
    });
    await until(() => expect(operator.lines.map(({ level }) => level)).toContain('error'));

    operator.change('hook.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }));

    await within(2000, () => expect(operator.lines.map(({ message }) => message)).toContain('hook finished'));
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
  });

  it('lets the run that is under way finish at shutdown and applies its patches', async () => {
    const sandbox = await sandboxForTest();
    const body = `: > "$OUT/began"
      while ! [ -e "$OUT/go" ]; do sleep 0.01; done
      echo '${JSON.stringify({ operation: 'Create', object: configMap('at-the-end') })}' > "$KUBERNETES_PATCH_PATH"`;
    const operator = startOperator({
      connect: sandboxCluster(sandbox),
      operator: { gracePeriodMs: 60_000 },
      hooks: { 'long.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, body) },
    });
    await until(() => expect(existsSync(join(operator.out, 'began'))).toBe(true));

    const stopped = operator.stop();
    operator.change('../out/go', 'x');
    await stopped;

    expect((await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/at-the-end')).code).toBe(200);
  });

  it('ends a run that outlasts the grace period, and leaves no files behind', async () => {
    const sandbox = await sandboxForTest();
    const operator = startOperator({
      connect: sandboxCluster(sandbox),
      operator: { gracePeriodMs: 50 },
      hooks: { 'forever.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, ': > "$OUT/began"; sleep 600') },
    });
    await until(() => expect(existsSync(join(operator.out, 'began'))).toBe(true));

    await operator.stop();

    expect(readdirSync(join(operator.out, '..', 'tmp'))).toEqual([]);
  });

  it('puts hooklet on the PATH of hooks', async () => {
    const sandbox = await sandboxForTest();
    const body = `hooklet jq -c '.[0]' "$BINDING_CONTEXT_PATH" > "$OUT/jq"`;
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'jq.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, body) },
    });
    await until(() => expect(operator.lines.map(({ message }) => message)).toContain('hook finished'));

    expect(readFileSync(join(operator.out, 'jq'), 'utf8')).toBe('{"binding":"onStartup"}\n');
  });
});
