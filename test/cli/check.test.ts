import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCheck } from '../../src/cli/check.ts';
import { UsageError } from '../../src/errors.ts';
import { runConfig } from '../support/config-runner.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'check-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function put(fixture: string, name: string): Promise<void> {
  await copyFile(fileURLToPath(new URL(`../fixtures/hooks/config-${fixture}.sh`, import.meta.url)), join(root, name));
}

async function check(directory = root): Promise<{ readonly exitCode: number; readonly report: string }> {
  let report = '';
  const exitCode = await runCheck(directory, {
    readConfig: runConfig,
    checkFilter: () => undefined,
    now: () => Date.parse('2026-05-01T10:00:00Z'),
    write: (text) => {
      report += text;
    },
  });
  return { exitCode, report };
}

describe('runCheck', () => {
  it('prints each hook with its bindings and returns 0 when all is well', async () => {
    await put('valid', 'a.sh');

    expect(await check()).toEqual({
      exitCode: 0,
      report: [
        'a.sh',
        '  onStartup 5',
        '  schedule nightly: "TZ=UTC 0 3 * * *", next 2026-05-02T03:00:00.000Z, queue slow',
        '  kubernetes pods: Pod, all namespaces, Added Modified Deleted, jqFilter .metadata.labels',
        '1 hook(s), no problems',
        '',
      ].join('\n'),
    });
  });

  it('warns of what is allowed and makes no sense', async () => {
    const schedule = [{ crontab: '*/5 * * * *', jitter: '10m' }];
    const config = JSON.stringify({ configVersion: 'v1', schedule });
    await writeFile(join(root, 'a.sh'), `#!/bin/sh\necho '${config}'\n`, { mode: 0o755 });

    const { exitCode, report } = await check();

    expect(exitCode).toBe(0);
    expect(report).toContain(
      'warning: a.sh: schedule schedule: a jitter of 600 s is not shorter than the time between',
    );
  });

  it('prints all problems of all hooks and returns 1', async () => {
    await put('valid', 'a.sh');
    await put('invalid', 'b.sh');
    await put('exit-3', 'c.sh');

    const { exitCode, report } = await check();

    expect(exitCode).toBe(1);
    expect(report).toContain('a.sh\n  onStartup 5\n');
    expect(report).toContain('error: hook b.sh has 3 problem(s):\n  onStartup: got "soon", expected a whole number\n');
    expect(report).toContain('  kubernetes[0].kind: missing, expected a kind such as Pod\n');
    expect(report).toContain('error: hook c.sh has 1 problem(s):\n  --config exited with code 3');
    expect(report).toContain('  stderr: about to fail\n');
    expect(report).toMatch(/\n3 hook\(s\), 2 broken, 4 problem\(s\)\n$/);
  });

  it('prints warnings and still returns 0', async () => {
    await writeFile(join(root, 'notes'), 'nothing to run', { mode: 0o644 });

    expect(await check()).toEqual({
      exitCode: 0,
      report: `warning: ${join(root, 'notes')}: no executable permissions, chmod +x is required to run this hook\n0 hook(s), no problems\n`,
    });
  });

  it('refuses a folder that is not there', async () => {
    await expect(check(join(root, 'absent'))).rejects.toThrow(UsageError);
  });
});
