import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { controlClient } from '../../src/cli/control/client.ts';
import type { RunRecord } from '../../src/hook/run-record.ts';
import type { Recording } from '../../src/run/recording/recording.ts';
import type { OperatorOptions } from '../../src/operator/run-operator.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const PASSWORD = 'hunter2-hunter2';
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db', namespace: 'default' },
  data: { password: Buffer.from(PASSWORD).toString('base64') },
};
const config = {
  configVersion: 'v1',
  kubernetes: [
    { name: 'secrets', kind: 'Secret', nameSelector: { matchNames: ['db'] }, executeHookOnSynchronization: false },
  ],
};
const BODY = `
password=$(grep -o '"password":"[^"]*"' "$BINDING_CONTEXT_PATH" | head -1 | cut -d '"' -f 4 | base64 -d)
echo "the password is $password"
cat >> "$KUBERNETES_PATCH_PATH" <<END
{"operation": "CreateOrUpdate", "object": {"apiVersion": "v1", "kind": "ConfigMap",
 "metadata": {"name": "copy", "namespace": "default"}, "data": {"url": "db://$password@host"}}}
END
`;

async function rig(hook: string, operator: Partial<OperatorOptions> = {}) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const sandbox = await sandboxForTest();
  const path = join(folder.path, 'hooklet.socket');
  const recording = { maxBytes: 2 ** 20, hooklet: '1.0.0' };
  const start = () =>
    startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'hook.sh': hook },
      operator: { controlSocket: { path, isRequired: true }, recording, ...operator },
    });
  const client = controlClient(path);
  const ended = async () => {
    const runs = (await client.ask('GET', '/runs?'))['runs'] as readonly RunRecord[];
    const run = runs.find(({ outcome }) => outcome !== 'running');
    if (run === undefined) throw new Error('no run has ended');
    return run;
  };
  const recorded = async (id: string): Promise<Recording> => {
    const { recording: text } = await client.ask('GET', `/runs/${id}/recording`);
    return JSON.parse(gunzipSync(Buffer.from(String(text), 'base64')).toString());
  };
  return { folder: folder.path, sandbox, start, client, ended, recorded };
}

describe('the recordings of an operator', { timeout: 60_000 }, () => {
  it('a recording has what the hook was given and wrote, masked, while the cluster got what the hook wrote', async () => {
    const { sandbox, start, ended, recorded, client } = await rig(recordingHook(config, BODY));
    await using operator = start();
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
    await sandbox.apply(secret);
    await until(async () => void (await recorded((await ended()).id)));
    const run = await ended();
    const recording = await recorded(run.id);
    const answer = await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/copy');

    expect(answer.body).toMatchObject({ data: { url: `db://${PASSWORD}@host` } });
    expect(recording).toMatchObject({
      format: 'hooklet-recording',
      version: 1,
      hooklet: '1.0.0',
      run: { id: run.id, hook: 'hook.sh', reason: 'Added default/db', outcome: 'succeeded' },
      hook: { name: 'hook.sh', type: 'process', hash: expect.stringMatching(/^[0-9a-f]{16}$/) },
      env: { RUN_ID: run.id },
      contexts: [{ binding: 'secrets', type: 'Event', object: { kind: 'Secret', metadata: { name: 'db' } } }],
      ending: { type: 'succeeded' },
    });
    const { outputs, printed } = recording;
    const [line] = printed;
    const mark = /masked-[0-9a-f]{17}/.exec(line?.line ?? '')?.[0] ?? '';
    expect(line?.line).toBe(`the password is ${mark}`);
    expect(JSON.stringify(outputs.patch)).toContain(`db://${mark}@host`);
    expect(JSON.stringify(recording)).not.toMatch(new RegExp(`${PASSWORD}|${secret.data.password}`));
    expect(await client.ask('GET', `/runs/${run.id}`)).toMatchObject({ recording: { type: 'kept' } });
    await operator.stop();
  });

  it('recordings outlive the operator in the folder of --run-history, in files that only its user may read', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const runHistory = { type: 'file', path: join(folder.path, 'runs') } as const;
    const { sandbox, start, ended, recorded } = await rig(recordingHook(config), { runHistory });
    await using before = start();
    await until(async () => expect((await fetch(`${before.url()}/readyz`)).status).toBe(200));
    await sandbox.apply(secret);
    await until(async () => void (await recorded((await ended()).id)));
    const recording = await recorded((await ended()).id);
    await before.stop();

    await using after = start();
    await until(async () => expect(await recorded(recording.run.id)).toEqual(recording));
    await after.stop();
    const recordings = join(runHistory.path, 'recordings');
    const modes = readdirSync(recordings).map((name) => statSync(join(recordings, name)).mode & 0o777);
    expect(modes.length).toBeGreaterThan(0);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it('a run of a hook with settings.record: false is not recorded, and says so', async () => {
    const hook = recordingHook({ ...config, onStartup: 1, settings: { record: false } });
    const { start, ended, client } = await rig(hook);
    await using operator = start();
    await until(async () => void (await ended()));
    const { id } = await ended();
    const why = 'settings.record of its hook is false';

    expect(await client.ask('GET', `/runs/${id}`)).toMatchObject({ recording: { type: 'none', why } });
    await expect(client.ask('GET', `/runs/${id}/recording`)).rejects.toThrow(why);
    await operator.stop();
  });

  it('without --record nothing is recorded, and the answer says how to have it', async () => {
    const { start, ended, client } = await rig(recordingHook({ ...config, onStartup: 1 }), { recording: undefined });
    await using operator = start();
    await until(async () => void (await ended()));
    const why = /no recording of run .*: the operator was started without --record/;
    await expect(client.ask('GET', `/runs/${(await ended()).id}/recording`)).rejects.toThrow(why);
    await operator.stop();
  });
});
