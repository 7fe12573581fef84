import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { openRunner } from '../../src/operator/runs/open-runner.ts';
import type { HookOutput } from '../../src/runner/executor.ts';
import { fixtureHook, hooksDir, never, temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { within } from '../support/within.ts';

const settings = (tmpDir: string) => ({
  hooksDir,
  tmpDir,
  keepTmpFiles: false,
  logProxyHookJson: false,
  env: process.env,
  program: { node: process.execPath, program: '/nowhere/main.js' },
  log: recordingLogger(),
});

describe('an open runner', () => {
  it('runs hooks that find hooklet on their PATH, and leaves nothing behind when it is closed', async () => {
    using tmp = temporaryFolder();
    await using ends = new AsyncDisposableStack();

    const runner = openRunner(settings(tmp.path), ends);
    const [folder = ''] = readdirSync(tmp.path);
    expect(readdirSync(join(tmp.path, folder, 'bin'))).toEqual(['hooklet']);
    const request = {
      hook: fixtureHook('run-echo.sh'),
      contexts: [Buffer.from('[]')],
      runId: 'run-1',
      onOutput: () => {},
    };
    const run = await runner.execute(request, never);
    await ends.disposeAsync();

    expect(run.outputs?.patch.trim()).toBe('[]');
    expect(readdirSync(tmp.path)).toEqual([]);
  });

  it('ends a warm hook that heeds no signal within 1 s, where it is to be killed after 200 ms', async () => {
    using tmp = temporaryFolder();
    await using ends = new AsyncDisposableStack();
    const printed: HookOutput[] = [];
    const runner = openRunner({ ...settings(tmp.path), killAfterMs: 200 }, ends);
    const object = { metadata: { name: 'x' }, do: 'block' };
    const context = JSON.stringify([{ binding: 'commands', type: 'Event', watchEvent: 'Added', object }]);
    const controller = new AbortController();
    const request = {
      hook: fixtureHook('run-warm.ts'),
      contexts: [Buffer.from(context)],
      runId: 'run-1',
      onOutput: (output: HookOutput) => void printed.push(output),
    };
    let hasEnded = false;
    const run = runner.execute(request, controller.signal).then(() => (hasEnded = true));
    await until(() =>
      expect(printed).toContainEqual({ type: 'line', line: { stream: 'stdout', line: 'before the end of time' } }),
    );

    controller.abort();

    await within(1000, () => expect(hasEnded).toBe(true));
    await run;
  });

  it('is refused where there is no place for the files of runs', async () => {
    await using ends = new AsyncDisposableStack();

    expect(() => openRunner(settings('/dev/null/tmp'), ends)).toThrow(UsageError);
  });
});
