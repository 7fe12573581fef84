import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import { fixtureHook, hookRig, hooksDir, never } from '../support/hook-rig.ts';

const contexts = [Buffer.from('[{"binding":"onStartup"}]')];

describe('Runner.execute', () => {
  it('logs what hooks print, with the run it belongs to', async () => {
    await using rig = hookRig({ logProxyHookJson: true });
    const fields = { binding: 'pods', queue: 'main', event: 'kubernetes', task: 'HookRun' };

    await rig.run({ hook: fixtureHook('run-json-lines.sh'), contexts, fields }, never);

    const run = { ...fields, hook: 'run-json-lines.sh', output: 'stdout' };
    expect(rig.log.lines).toEqual([
      { level: 'warn', message: 'disk is full', fields: { ...run, hook_disk: 'sda', proxyJsonLog: true } },
      { level: 'info', message: 'hook output', fields: { ...run, line: 'plain text' } },
    ]);
  });

  it('does not start a hook once its signal has aborted', async () => {
    await using rig = hookRig();
    const request = { hook: fixtureHook('run-echo.sh'), contexts };

    expect(await rig.execute(request, AbortSignal.abort())).toMatchObject({
      type: 'failed',
      error: { message: 'hook run-echo.sh failed: the operator is stopping, it was not started' },
    });
    expect(rig.output()).toEqual([]);
  });

  it('fails the runs of a spawner that dies, ends their hooks, and runs the next', async () => {
    await using rig = hookRig();
    const request = { hook: fixtureHook('run-forever.sh'), contexts, fields: {} };
    const failed = rig.run(request, never).catch((error: unknown) => error);
    await vi.waitUntil(() => rig.output().length > 0, { timeout: 30_000 });

    rig.killSpawner();
    const error = await failed;

    expect(error).toBeInstanceOf(HookFailedError);
    expect(String(error)).toContain('the spawner process ended (signal SIGKILL) during the run');
    await vi.waitUntil(() => !rig.processes().some((line) => line.includes('sleep 600')), { timeout: 30_000 });
    const next = await rig.run({ ...request, hook: fixtureHook('run-echo.sh') }, never);
    expect(next.outputs.metrics).toBe('metrics\n');
  });

  it('runs hooks of both types', async () => {
    await using rig = hookRig();

    const result = await rig.run({ hook: fixtureHook('run-warm.ts'), contexts, fields: {} }, never);

    expect(result.outputs).toEqual({ patch: '', metrics: '', admission: '', conversion: '', result: '' });
  });
});

const library = fileURLToPath(new URL('../../frameworks/shell_lib.sh', import.meta.url));

describe('Runner.readConfig', () => {
  it('runs the hook with --config in the hooks folder, without the files of a run', async () => {
    await using rig = hookRig();

    const run = await rig.runner.readConfig(fixtureHook('run-prints-config.sh'), never);

    expect(run).toMatchObject({
      exitCode: 0,
      stdout: `cwd: ${hooksDir}, argument: --config, context: unset, library: ${library}\n`,
      stderr: 'a warning\n',
    });
    expect(rig.log.lines).toEqual([]);
  });

  it.each([
    ['run-crlf.sh', 'ENOENT', /ENOENT/],
    ['run-missing-interpreter.sh', 'ENOENT', /ENOENT/],
    ['run-not-executable.sh', 'EACCES', /EACCES/],
    ['run-deleted.sh', 'ENOENT', /ENOENT/],
  ])('reports why %s cannot be started: %s', async (name, code, message) => {
    await using rig = hookRig();

    const { startError } = await rig.runner.readConfig(fixtureHook(name), never);

    expect(startError).toEqual({ code, message: expect.stringMatching(message) });
  });

  it('prints the config of a warm hook', async () => {
    await using rig = hookRig();

    const run = await rig.runner.readConfig(fixtureHook('run-warm.ts'), never);

    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ configVersion: 'v1', onStartup: 1, settings: { timeout: '1s' } });
  });

  it('ends when the signal aborts', async () => {
    await using rig = hookRig();

    const run = await rig.runner.readConfig(fixtureHook('run-forever.sh'), AbortSignal.abort());

    expect(run).toMatchObject({ signal: 'SIGTERM' });
  });
});
