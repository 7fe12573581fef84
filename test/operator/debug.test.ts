import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { controlClient } from '../../src/cli/control/client.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const NEVER_NOW = '0 0 1 1 *';
const filter = '.data';
const watching = {
  configVersion: 'v1',
  kubernetes: [
    { name: 'maps', kind: 'ConfigMap', jqFilter: filter, group: 'g', queue: 'maps' },
    { name: 'others', kind: 'ConfigMap', namespace: { nameSelector: { matchNames: ['none'] } }, queue: 'others' },
  ],
};
const scheduled = { configVersion: 'v1', schedule: [{ name: 'nightly', crontab: NEVER_NOW, queue: 'cron' }] };

/** Fails while the object `fail` is there. */
const body = `case "$(cat "$BINDING_CONTEXT_PATH")" in *'"x":"fail"'*) exit 3;; esac`;

function configMap(name: string, x: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { x } };
}

describe('the debug API of an operator', { timeout: 60_000 }, () => {
  it('shows queues, hooks and snapshots as shell-operator does', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const path = join(folder.path, 'debug.socket');
    const sandbox = await sandboxForTest();
    await sandbox.apply(configMap('a', '1'));
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'maps.sh': recordingHook(watching, body), 'db/backup.sh': recordingHook(scheduled) },
      operator: { controlSocket: { path, isRequired: true } },
    });
    const client = controlClient(path);
    const read = async (url: string): Promise<string> => (await client.fetch({ path: url })).toString();
    const json = async (url: string): Promise<unknown> => JSON.parse(await read(url));
    await until(() => expect(operator.contexts('maps.sh')).toHaveLength(1));
    await until(async () => expect(await json('/queue/main.json')).toMatchObject({ tasksCount: 0 }));

    expect(await json('/hook/list.json')).toEqual(['db/backup.sh', 'maps.sh']);
    expect(await json('/hook/db/backup.sh/snapshots.json')).toBeNull();
    expect(await json('/queue/list.json?showEmpty=true')).toEqual({
      active: [],
      empty: ['main', 'cron', 'maps', 'others'].map((name) => ({ name, tasksCount: 0 })),
      summary: { mainQueueTasks: 0, otherQueues: { active: 0, empty: 3, tasks: 0 }, totalTasks: 0 },
    });
    expect(await read('/queue/main.text')).toMatch(/^Queue 'main': length 0, status: 'waiting for task \d+s'\n\n$/);

    await sandbox.apply(configMap('b', 'fail'));
    await until(async () => expect(await read('/queue/list.text')).toContain('failures 1'));
    expect(await read('/queue/list.text')).toMatch(
      /^Queue 'maps': length 1, status: 'sleep after fail for 5s \(\ds left of 5s delay\)'\n\n 1\. HookRun:maps:kubernetes:maps\.sh:group=g:maps:failures 1:maps\.sh FAILED: exit code 3\n\nSummary:\n- 'main' queue: empty\.\n- 3 other queues \(1 active, 2 empty\): 1 task\.\n- total 1 task to handle\.\n$/,
    );
    const none = { count: 0, added: 0, deleted: 0, modified: 0, cleaned: 0 };
    const seen = await json('/hook/maps.sh/snapshots.json');
    expect(seen).toEqual({
      maps: {
        operations: { sinceLastExecution: none, sinceStart: { ...none, count: 2, added: 2 } },
        snapshot: [
          { filterResult: { x: '1' }, object: expect.objectContaining({ kind: 'ConfigMap', data: { x: '1' } }) },
          { filterResult: { x: 'fail' }, object: expect.objectContaining({ data: { x: 'fail' } }) },
        ],
      },
      others: { operations: { sinceLastExecution: none, sinceStart: none }, snapshot: [] },
    });
    expect(await json('/hook/maps.sh/snapshots.json')).toEqual(seen);
  });
});
