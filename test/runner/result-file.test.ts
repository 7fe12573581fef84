import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HookSettings } from '../../src/hook/binding.ts';
import type { Execution } from '../../src/runner/executor.ts';
import { hookRig, never } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';

type Rig = ReturnType<typeof hookRig>;

let rig: Rig;
let count = 0;
beforeAll(() => {
  rig = hookRig();
});
afterAll(async () => rig[Symbol.asyncDispose]());

interface Given {
  readonly settings?: HookSettings;
  readonly signal?: AbortSignal;
  readonly runId?: string;
  readonly on?: Rig;
}

async function run(
  script: string,
  { settings = {}, signal = never, on = rig, ...given }: Given = {},
): Promise<Execution> {
  const path = join(on.folder, `hook-${++count}.sh`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  const hook = { name: 'hook.sh', path, type: 'process', bindings: [], settings } as const;
  return on.execute({ hook, contexts: [Buffer.from('[]')], ...given }, signal);
}

const says = 'echo said > "$RESULT_PATH"; echo patched > "$KUBERNETES_PATCH_PATH"';

describe('a process hook', () => {
  it('has the id of its run, and an empty file for its result', async () => {
    const execution = await run('test -f "$RESULT_PATH" && echo "$RUN_ID" >> "$RESULT_PATH"', { runId: 'an-id' });

    expect(execution).toMatchObject({ type: 'exited', outputs: { result: 'an-id\n' } });
    expect(execution).not.toHaveProperty('isLater');
  });

  it('that exits with 75 is to be run again later, with all that it wrote', async () => {
    expect(await run(`${says}; exit 75`)).toMatchObject({
      type: 'exited',
      isLater: true,
      outputs: { result: 'said\n', patch: 'patched\n' },
    });
  });

  it('that exits with 78 has failed for good, and any other code is a failure', async () => {
    const outputs = { result: 'said\n', patch: 'patched\n' };
    const permanent = await run(`${says}; exit 78`);
    const failed = await run(`${says}; exit 77`);

    expect(permanent).toMatchObject({ type: 'failed', by: 'hook', isPermanent: true, outputs });
    expect(permanent).toMatchObject({ error: { message: 'hook hook.sh failed: exit code 78' } });
    expect(failed).toMatchObject({ type: 'failed', by: 'hook', outputs });
    expect(failed).not.toHaveProperty('isPermanent');
    expect(failed).not.toHaveProperty('isCutOff');
  });

  it('has codes of its own by settings.outcome', async () => {
    const settings = { outcome: { success: [3], later: [11], permanent: [12] } };

    expect(await run(`${says}; exit 3`, { settings })).toMatchObject({ type: 'exited', outputs: { result: 'said\n' } });
    expect(await run('exit 11', { settings })).toMatchObject({ type: 'exited', isLater: true });
    expect(await run('exit 12', { settings })).toMatchObject({ type: 'failed', isPermanent: true });
    expect(await run('exit 75', { settings })).toMatchObject({ type: 'failed' });
  });

  it('has failed by 75 and 78 where exit codes are plain', async () => {
    await using plain = hookRig({ plainExitCodes: true });

    for (const code of [75, 78]) {
      const execution = await run(`exit ${code}`, { on: plain });
      expect(execution).toMatchObject({ type: 'failed', error: { ending: { exitCode: code } } });
      expect(execution).not.toHaveProperty('isPermanent');
    }
    const settings = { outcome: { later: [75] } };
    expect(await run('exit 75', { on: plain, settings })).toMatchObject({ type: 'exited', isLater: true });
  });

  it.each(['exit 126', 'exit 127', '/no/such/program', 'exec /no/such/program'])(
    'that cannot start its program has failed: %s',
    async (script) => {
      const execution = await run(script);

      expect(execution).toMatchObject({ type: 'failed', by: 'hook' });
      expect(execution).not.toHaveProperty('isPermanent');
    },
  );

  it('that is killed has its result alone', async () => {
    const execution = await run(`${says}; kill -9 $$`);

    expect(execution).toMatchObject({
      type: 'failed',
      isCutOff: true,
      outputs: { result: 'said\n', patch: '', metrics: '' },
    });
  });

  it('that exits with 75 or 78 after its time is over has failed', async () => {
    const settings = { timeoutMs: 100 };
    for (const code of [75, 78]) {
      const script = `${says}; trap 'exit ${code}' TERM; sleep 60 & wait`;
      const execution = await run(script, { settings });
      expect(execution).toMatchObject({ type: 'failed', isCutOff: true, outputs: { result: 'said\n' } });
      expect(execution).not.toHaveProperty('isPermanent');
    }
  });

  it('that exits with 75 because it was told to end has failed', async () => {
    const stop = new AbortController();
    rig.log.lines.length = 0;
    const running = run(`trap 'exit 75' TERM; echo waiting; sleep 60 & wait`, { signal: stop.signal });
    await until(() => expect(rig.output()).toContain('waiting'));
    stop.abort();

    expect(await running).toMatchObject({ type: 'failed', isCutOff: true });
  });
});

describe('a result file', () => {
  it('of 9 MB makes the run fail, unread', async () => {
    const message =
      'hook hook.sh: its output cannot be read: RESULT_PATH has 9000000 bytes, at most 8388608 (8 MiB) are read; write less in one run';

    for (const code of [0, 75]) {
      const execution = await run(`truncate -s 9000000 "$RESULT_PATH"; exit ${code}`);
      expect(execution).toMatchObject({ type: 'failed', by: 'output', error: { message } });
    }
    expect(await run('truncate -s 9000000 "$RESULT_PATH"; exit 78')).toMatchObject({ by: 'hook', isPermanent: true });
  });

  it.each([
    ['a link', 'rm "$RESULT_PATH"; ln -s /etc/passwd "$RESULT_PATH"'],
    ['a pipe', 'rm "$RESULT_PATH"; mkfifo "$RESULT_PATH"'],
    ['a folder', 'rm "$RESULT_PATH"; mkdir "$RESULT_PATH"'],
  ])('that is %s makes the run fail, and does not hold it up', async (_what, script) => {
    const execution = await Promise.race([run(script), sleep(10_000, undefined, { ref: false })]);

    expect(execution).toMatchObject({ type: 'failed', by: 'output' });
    expect(execution).toMatchObject({ error: { message: expect.stringContaining('is not a regular file') } });
    const killed = await run(`${script}; kill -9 $$`);
    expect(killed).toMatchObject({ type: 'failed', by: 'hook', isCutOff: true });
    expect(killed.outputs).toBeUndefined();
  });

  it('that the hook deleted says nothing', async () => {
    expect(await run('rm "$RESULT_PATH"')).toMatchObject({ type: 'exited', outputs: { result: '' } });
  });
});
