import { execFileSync, spawn } from 'node:child_process';
import { once as emitted } from 'node:events';
import { closeSync, constants, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { builtMain } from '../support/built-program.ts';
import { once, patchFor, queuedHook } from '../support/fault-hooks.ts';
import { startFaultRig } from '../support/fault-rig.ts';
import { within } from '../support/within.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';
import { until } from '../support/operator-rig.ts';

const HOOKS = 12;

describe('the temporary folder', () => {
  it('that somebody cleared is made again, and a run whose files were in it is repeated within 3 s', async () => {
    const body = `echo '${patchFor('late')}' > "$KUBERNETES_PATCH_PATH"; ${once('ran', 'until [ -e "$OUT/go" ]; do sleep 0.01; done')}`;
    await using rig = await startFaultRig({ hooks: queuedHook('slow', body) });
    const { operator } = rig;
    await rig.put('slow', '1');
    await until(() => expect(existsSync(join(operator.out, 'ran'))).toBe(true));
    const tmpDir = join(operator.out, '..', 'tmp');

    rmSync(tmpDir, { recursive: true });
    await rig.put('a', '1');
    writeFileSync(join(operator.out, 'go'), '');

    await within(3000, () => expect(operator.runs('slow.sh')).toHaveLength(2));
    const late = '/api/v1/namespaces/copies/configmaps/late';
    await within(3000, async () => expect((await rig.sandbox.call('GET', late)).code).toBe(200));
    await within(3000, () => expect(rig.values('a')).toEqual(['0', '1']));
    const metrics = await (await fetch(`${operator.url()}/metrics`)).text();
    expect(metrics).toMatch(/^shell_operator_run_folder_restored_total 1$/m);
    const messages = operator.lines.map(({ message }) => message);
    expect(messages).toContain('the folder for the files of runs was removed, it was created again');
    const [failed] = operator.lines.filter(({ level }) => level === 'error');
    expect(String(failed?.fields['err'])).toContain('its files were removed while it ran');
    expect(readdirSync(tmpDir)).toHaveLength(1);
  });
});

describe('standard output and standard error that nobody reads', () => {
  it('hold up neither hooks nor probes, and the end by 2 s at most; what is lost is counted', async () => {
    const sandbox = await sandboxForTest();
    using folder = temporaryFolder();
    const hooksDir = join(folder.path, 'hooks');
    mkdirSync(hooksDir);
    // Each hook prints as much as is logged of one run.
    for (let index = 0; index < HOOKS; index++) {
      const config = JSON.stringify({ configVersion: 'v1', onStartup: index });
      const script = `#!/bin/sh\nif [ "\${1:-}" = --config ]; then echo '${config}'; exit; fi
        yes "$(printf %0500d 0)" | head -c 1000000; : > ${folder.path}/ran-${index}\n`;
      writeFileSync(join(hooksDir, `hook-${index}.sh`), script, { mode: 0o755 });
    }
    const port = await freePort();
    const out = unreadPipe(folder.path);
    const flags = ['--hooks-dir', hooksDir, '--tmp-dir', join(folder.path, 'tmp'), '--listen-port', String(port)];
    const env = { ...process.env, KUBECONFIG: kubeconfigFile(folder.path, sandbox) };
    const child = spawn(process.execPath, [builtMain(), 'start', ...flags], { env, stdio: ['ignore', out, out] });
    closeSync(out);
    onTestFinished(() => void child.kill('SIGKILL'));
    const get = async (path: string) => fetch(`http://127.0.0.1:${port}${path}`);

    await until(() => expect(existsSync(join(folder.path, `ran-${HOOKS - 1}`))).toBe(true));
    await until(async () => expect((await get('/readyz')).status).toBe(200));
    const metrics = await (await get('/metrics')).text();
    const exited = emitted(child, 'exit');
    const startedAt = performance.now();
    child.kill('SIGTERM');
    const [exitCode]: unknown[] = await exited;

    expect(exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect(Number(/^hooklet_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(1000);
  });
});

/** The write end of a pipe that is also open for reading, but never read. */
function unreadPipe(folder: string): number {
  const path = join(folder, 'out');
  execFileSync('mkfifo', [path]);
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(readFd));
  return openSync(path, constants.O_WRONLY);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await emitted(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
