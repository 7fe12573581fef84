import { chmodSync, copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HookOutputError } from '../../src/errors.ts';
import type { Hook } from '../../src/hook/binding.ts';
import type { FailedExecution } from '../../src/runner/executor.ts';
import { fixtureHook, hookRig, hooksDir, never } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';

const contexts = [Buffer.from('[{"binding":'), Buffer.from('"onStartup"}]\n')];

type Rig = ReturnType<typeof hookRig>;

async function failure(rig: Rig, hook: Hook, signal = never): Promise<FailedExecution> {
  const execution = await rig.execute({ hook, contexts }, signal);
  if (execution.type !== 'failed') throw new Error('the hook did not fail');
  return execution;
}

// Started once for all tests; a test that needs its own creates it.
let rig: Rig;
beforeAll(() => {
  rig = hookRig();
});
afterAll(() => rig[Symbol.asyncDispose]());

describe('a run of an executable hook', () => {
  it('gives the contexts and brings back what the hook wrote', async () => {
    const result = await rig.run({ hook: fixtureHook('run-echo.sh'), contexts, fields: {} }, never);

    expect(result).toEqual({
      durationMs: expect.any(Number),
      usage: expect.objectContaining({ userCpuMs: expect.any(Number) }),
      outputs: {
        patch: '[{"binding":"onStartup"}]\n',
        metrics: 'metrics\n',
        admission: 'validating\n',
        conversion: 'conversion\n',
        result: '',
      },
    });
  });

  it('keeps the process contract', async () => {
    await using rig = hookRig({ binDir: '/opt/hooklet/bin' });

    await rig.run({ hook: fixtureHook('run-looks-around.sh'), contexts, fields: {} }, never);

    expect(new Set(rig.output())).toEqual(
      new Set([
        hooksDir,
        'arguments: 0',
        '700',
        '600',
        'one admission file',
        `path: /opt/hooklet/bin:${process.env['PATH']}`,
        'custom: from the operator',
      ]),
    );
  });

  it.each([
    ['run-fails.sh', 'hook run-fails.sh failed: exit code 3\nthe reason'],
    [
      'run-killed.sh',
      'hook run-killed.sh failed: it was killed by SIGKILL, which the kernel sends when memory runs out',
    ],
  ])('fails with a clear error: %s', async (name, message) => {
    expect((await failure(rig, fixtureHook(name))).error.message).toBe(message);
  });

  it('reports what is known of a failed run, with the files of one that ended by itself', async () => {
    expect(await failure(rig, fixtureHook('run-fails.sh'))).toMatchObject({
      by: 'hook',
      error: { ending: { exitCode: 3, timedOut: false } },
      cost: { usage: { userCpuMs: expect.any(Number) } },
      outputs: { patch: 'to be ignored\n', metrics: 'as well\n' },
    });
  });

  it('names the time limit', async () => {
    const { error, outputs } = await failure(rig, fixtureHook('run-forever.sh', { timeoutMs: 100 }));

    expect(error.message).toBe(
      'hook run-forever.sh failed: it ran longer than its time limit of 100ms (settings.timeout) and was ended',
    );
    expect(error).toMatchObject({ ending: { timedOut: true } });
    expect(outputs).toBeUndefined();
  });

  it('fails clearly when the hook was deleted or made non-executable, and runs once it is mended', async () => {
    const path = join(rig.folder, 'deleted.sh');
    const hook: Hook = { ...fixtureHook('run-echo.sh'), path };
    copyFileSync(join(hooksDir, 'run-echo.sh'), path);

    chmodSync(path, 0o644);
    const { error: notExecutable } = await failure(rig, hook);
    rmSync(path);
    const { error: deleted } = await failure(rig, hook);
    copyFileSync(join(hooksDir, 'run-echo.sh'), path);
    const mended = await rig.run({ hook, contexts, fields: {} }, never);

    expect(notExecutable.message).toMatch(/is not executable, chmod \+x is required/);
    expect(deleted.message).toMatch(/does not exist/);
    expect(mended.outputs.metrics).toBe('metrics\n');
  });

  it('finishes a run whose hook was deleted meanwhile', async () => {
    const path = join(rig.folder, 'hook.sh');
    writeFileSync(path, '#!/bin/sh\nrm "$0"\necho done > "$METRICS_PATH"\n', { mode: 0o755 });
    const hook: Hook = { ...fixtureHook('run-echo.sh'), path };

    const { outputs } = await rig.run({ hook, contexts, fields: {} }, never);

    expect(outputs.metrics).toBe('done\n');
  });

  it('leaves no contexts and nothing that was written after a run, good or bad', async () => {
    await using rig = hookRig();

    await rig.run({ hook: fixtureHook('run-echo.sh'), contexts, fields: {} }, never);
    await failure(rig, fixtureHook('run-fails.sh'));

    await until(() => expect(readdirSync(rig.folder).filter((name) => !name.startsWith('pipe-'))).toEqual(['lock']));
  });

  it('keeps its files when asked to, under the name of the hook', async () => {
    await using rig = hookRig({ keepTmpFiles: true });

    await rig.run({ hook: fixtureHook('run-echo.sh'), contexts, fields: {} }, never);

    const [kept = ''] = readdirSync(rig.folder).filter((name) => name.startsWith('run-echo.sh-1-'));
    expect(readdirSync(join(rig.folder, kept)).toSorted()).toEqual([
      'admission-response.json',
      'binding-context.json',
      'conversion-response.json',
      'metrics.json',
      'object-patch',
      'result.json',
    ]);
  });

  it('fails with the reason when its files cannot be written', async () => {
    await using rig = hookRig({ folder: '/proc/no-such-folder' });

    const { error, by } = await failure(rig, fixtureHook('run-echo.sh'));

    expect(error.message).toMatch(/^hook run-echo\.sh failed: its files could not be written to .*ENOENT.*--tmp-dir$/);
    expect(by).toBe('environment');
  });

  const inBackground = (job: string): Hook => {
    const path = join(rig.folder, 'background.sh');
    writeFileSync(path, `#!/bin/sh\n(${job}) &\n`, { mode: 0o755 });
    return { ...fixtureHook('run-echo.sh'), path };
  };

  it('brings back what a background job wrote that held the output', async () => {
    const hook = inBackground('sleep 0.3; echo late > "$KUBERNETES_PATCH_PATH"');

    const { outputs } = await rig.run({ hook, contexts }, never);

    expect(outputs.patch).toBe('late\n');
  });

  it('has failed where such a job is ended at the limit, and nothing that it wrote is applied', async () => {
    await using own = hookRig({ backgroundLimitMs: 200, spawnerOptions: { graceMs: 50 } });
    const hook = inBackground('echo half > "$KUBERNETES_PATCH_PATH"; exec sleep 600');

    const execution = await own.execute({ hook, contexts }, never);

    expect(execution).toMatchObject({ type: 'failed', by: 'hook', isCutOff: true });
    expect(execution.outputs).toBeUndefined();
    if (execution.type !== 'failed') return;
    expect(execution.error.message).toContain(
      '(sleep) still held its output 200ms after its exit (--background-limit)',
    );
  });

  it('does not wait for background jobs with a limit of 0', async () => {
    await using own = hookRig({ backgroundLimitMs: 0 });

    const { outputs } = await own.run({ hook: inBackground('exec sleep 600'), contexts }, never);

    expect(outputs.patch).toBe('');
  });

  it('does not wait for background jobs where a caller waits for the response', async () => {
    const hook = inBackground('exec sleep 600');

    const { outputs } = await rig.run({ hook, contexts, isAsked: true }, never);

    expect(outputs.patch).toBe('');
  });

  it('names the file in whose place the hook put something else', async () => {
    const path = join(rig.folder, 'hook.sh');
    writeFileSync(path, '#!/bin/sh\nrm "$METRICS_PATH"\nmkdir "$METRICS_PATH"\n', { mode: 0o755 });
    const request = { hook: { ...fixtureHook('run-echo.sh'), path }, contexts, fields: {} };

    await expect(rig.run(request, never)).rejects.toThrow(HookOutputError);
    await expect(rig.run(request, never)).rejects.toThrow(
      /^hook run-echo\.sh: its output cannot be read: .*\/metrics\.json is not a regular file$/,
    );
  });

  it('reports why a hook failed, also when its files cannot be read', async () => {
    const path = join(rig.folder, 'hook.sh');
    writeFileSync(path, '#!/bin/sh\nrm "$METRICS_PATH"\nmkdir "$METRICS_PATH"\nexit 9\n', { mode: 0o755 });

    const { error, outputs } = await failure(rig, { ...fixtureHook('run-echo.sh'), path });

    expect(error).toMatchObject({ ending: { exitCode: 9 } });
    expect(outputs).toBeUndefined();
  });

  it('is ended when the signal aborts', async () => {
    const controller = new AbortController();
    const running = failure(rig, fixtureHook('run-forever.sh'), controller.signal);

    controller.abort();

    expect((await running).error.message).toContain('it was ended because the operator is stopping');
  });

  it('whose files are removed meanwhile fails with the reason, and not by the hook', async () => {
    const path = join(rig.folder, 'clears.sh');
    writeFileSync(path, '#!/bin/sh\nrm -r "$(dirname "$METRICS_PATH")"\n', { mode: 0o755 });

    const { error, by } = await failure(rig, { ...fixtureHook('run-echo.sh'), path });

    expect(error.message).toBe(
      'hook run-echo.sh failed: its files were removed while it ran: something clears the temporary folder, see --tmp-dir',
    );
    expect(by).toBe('environment');
  });

  it('is not given what an earlier run left behind writes to its files', async () => {
    const path = join(rig.folder, 'leaves.sh');
    const late = `: > up; while [ -e "$KUBERNETES_PATCH_PATH" ]; do sleep 0.01; done
      echo late >&3; echo late 2> /dev/null > "$KUBERNETES_PATCH_PATH"; : > said`;
    const script = `cd "$(dirname "$0")"; exec 3>> "$KUBERNETES_PATCH_PATH"
      setsid sh -c '${late}' > /dev/null 2>&1 & until [ -e up ]; do sleep 0.01; done`;
    writeFileSync(path, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    const waits = join(rig.folder, 'waits.sh');
    writeFileSync(waits, `#!/bin/sh\nuntil [ -e ${rig.folder}/said ]; do sleep 0.01; done\n`, { mode: 0o755 });

    const run = async (file: string) =>
      rig.run({ hook: { ...fixtureHook('run-echo.sh'), path: file }, contexts, fields: {} }, never);
    await run(path);
    const { outputs } = await run(waits);

    expect(outputs.patch).toBe('');
  });
});
