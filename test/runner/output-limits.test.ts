import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainSize, OUTPUT_LIMITS, type OutputName } from '../../src/runner/output-limits.ts';
import { hookRig, never } from '../support/hook-rig.ts';

const MIB = 1024 * 1024;

let rig: ReturnType<typeof hookRig>;
beforeAll(() => {
  rig = hookRig();
});
afterAll(async () => rig[Symbol.asyncDispose]());

function scriptRun(script: string) {
  const path = join(rig.folder, `hook-${script.length}.sh`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  const hook = { name: 'hook.sh', path, type: 'process', bindings: [], settings: {} } as const;
  return { hook, contexts: [Buffer.from('[]')] };
}

async function run(script: string) {
  return rig.run(scriptRun(script), never);
}

describe('what a hook may write', () => {
  it.each<[OutputName, number]>([
    ['patch', 32],
    ['metrics', 4],
    ['admission', 4],
    ['conversion', 64],
    ['result', 8],
    ['config', 1],
  ])('as %s is %i MiB', (name, mib) => {
    expect(OUTPUT_LIMITS[name]).toBe(mib * MIB);
    expect(explainSize(name, mib * MIB)).toBeUndefined();
    expect(explainSize(name, mib * MIB + 1)).toContain(
      `has ${mib * MIB + 1} bytes, at most ${mib * MIB} (${mib} MiB) are read`,
    );
  });

  it.each([
    ['KUBERNETES_PATCH_PATH', 33554432, 32],
    ['METRICS_PATH', 4194304, 4],
    ['ADMISSION_RESPONSE_PATH', 4194304, 4],
    ['CONVERSION_RESPONSE_PATH', 67108864, 64],
    ['RESULT_PATH', 8388608, 8],
  ])('is looked at before it is read: 6 GiB in %s', async (variable, limit, mib) => {
    const before = process.memoryUsage.rss();

    const running = run(`truncate -s 6G "$${variable}"`);

    await expect(running).rejects.toThrow(
      `hook hook.sh: its output cannot be read: ${variable} has 6442450944 bytes, at most ${limit} (${mib} MiB) are read; write less in one run`,
    );
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB);
  });

  it('and what a hook wrote that failed is not read either', async () => {
    const execution = await rig.execute(scriptRun('truncate -s 6G "$KUBERNETES_PATCH_PATH"; exit 3'), never);

    expect(execution).toMatchObject({ type: 'failed', error: { message: expect.stringContaining('exit code 3') } });
    expect(execution.outputs).toBeUndefined();
  });

  it('may be as large as the limit', async () => {
    const { outputs } = await run('head -c 33554432 /dev/zero > "$KUBERNETES_PATCH_PATH"');

    expect(outputs.patch).toHaveLength(32 * MIB);
  });

  it('as a config is cut off after 1 MiB, and the hook is ended', async () => {
    const path = join(rig.folder, 'config.sh');
    writeFileSync(path, '#!/bin/sh\nexec yes\n');
    chmodSync(path, 0o755);

    const exit = await rig.runner.readConfig({ name: 'config.sh', path, type: 'process' }, never);

    expect(exit.startError?.message).toBe('printed more than 1048576 bytes');
    expect(exit.stdout.length).toBe(MIB);
  });

  it('as a config of a module is 1 MiB', async () => {
    const path = join(rig.folder, 'config.ts');
    const source = `import { defineHook, schedule } from 'hooklet';\nexport default defineHook({ bindings: { a: schedule('x'.repeat(2e6)) }, run() {} });\n`;
    writeFileSync(path, source);

    const exit = await rig.runner.readConfig({ name: 'config.ts', path, type: 'warm' }, never);

    expect(exit.stderr).toMatch(/^the config has 20000\d\d bytes, at most 1048576 \(1 MiB\) are read; bind to less/);
  });
});
