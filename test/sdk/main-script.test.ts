import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import program from '../fixtures/hooks/run-program.ts';
import { hooksDir, temporaryFolder } from '../support/hook-rig.ts';

const path = join(hooksDir, 'run-program.ts');
// The Node of this process, regardless of PATH.
const start = execa({ reject: false, env: { PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` } });

function filesIn(folder: string, contexts: object) {
  const env = {
    BINDING_CONTEXT_PATH: join(folder, 'context'),
    KUBERNETES_PATCH_PATH: join(folder, 'patch'),
    METRICS_PATH: join(folder, 'metrics'),
  };
  writeFileSync(env.BINDING_CONTEXT_PATH, JSON.stringify(contexts));
  writeFileSync(env.KUBERNETES_PATCH_PATH, '');
  writeFileSync(env.METRICS_PATH, '');
  return env;
}

describe('a definition made executable', () => {
  it('prints its config', async () => {
    const { stdout, exitCode } = await start(path, ['--config']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      configVersion: 'v1',
      onStartup: 5,
      schedule: [{ name: 'nightly', crontab: '0 3 * * *' }],
    });
  });

  it('runs once on the files that the environment names', async () => {
    using folder = temporaryFolder();
    const env = filesIn(folder.path, [{ binding: 'onStartup' }]);

    const { stdout, exitCode } = await start({ env })(path);

    expect(exitCode).toBe(0);
    expect(JSON.parse(readFileSync(env.KUBERNETES_PATCH_PATH, 'utf8'))).toMatchObject({
      operation: 'Delete',
      name: 'start',
    });
    expect(JSON.parse(readFileSync(env.METRICS_PATH, 'utf8'))).toEqual({ name: 'starts', action: 'add', value: 1 });
    expect(JSON.parse(stdout)).toEqual({ level: 'info', msg: 'ran', binding: 'start' });
  });

  it('runs also through a link', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'hooks'));
    const link = join(folder.path, 'hooks', 'linked.ts');
    symlinkSync(path, link);

    const { stdout } = await start(link, ['--config']);

    expect(stdout).toContain('"onStartup":5');
  });

  it('exits 1 with the stack of what it throws, and leaves what it had asked for', async () => {
    using folder = temporaryFolder();
    const env = filesIn(folder.path, [{ binding: 'onStartup' }, { binding: 'nightly', type: 'Schedule' }]);

    const { stderr, exitCode } = await start({ env })(path);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: nightly has no work\n\s+at .*run-program\.ts:\d+/);
    expect(readFileSync(env.KUBERNETES_PATCH_PATH, 'utf8')).toContain('Delete');
  });

  const withResult = (folder: string, reason: string) => {
    const env = filesIn(folder, [{ binding: 'nightly', type: 'Schedule', reason }]);
    return { ...env, RESULT_PATH: join(folder, 'result'), RUN_ID: 'an-id' };
  };

  it.each([
    ['manual', 75, '{"outcome":"later","retryAfter":"30s","message":"an-id waits"}\n'],
    ['retry', 78, '{"outcome":"permanent","reason":"NoWork"}\n'],
  ])('ends a %s run with exit code %i and its result, without a stack', async (reason, code, result) => {
    using folder = temporaryFolder();
    const env = withResult(folder.path, reason);

    const { stderr, exitCode } = await start({ env })(path);

    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: code });
    expect(readFileSync(env.RESULT_PATH, 'utf8')).toBe(result);
  });

  it('has its exit code where nothing reads results, and says why', async () => {
    using folder = temporaryFolder();
    const env = { ...withResult(folder.path, 'manual'), RESULT_PATH: undefined };

    const { stderr, exitCode } = await start({ env })(path);

    expect(exitCode).toBe(75);
    expect(stderr).toBe('{"outcome":"later","retryAfter":"30s","message":"an-id waits"}');
  });

  it('fails where nothing reads results, and it says more than how it ended', async () => {
    using folder = temporaryFolder();
    const env = { ...withResult(folder.path, 'catch-up'), RESULT_PATH: undefined };

    const { stderr, exitCode } = await start({ env })(path);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('RESULT_PATH is not set');
  });

  it('says how to run it by hand', async () => {
    const { stderr, exitCode } = await start({ env: { BINDING_CONTEXT_PATH: undefined } })(path);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('BINDING_CONTEXT_PATH is not set; to run this hook by hand use: hooklet run');
  });

  it('does nothing when it is imported', () => {
    expect(program.config).toMatchObject({ onStartup: 5 });
  });
});
