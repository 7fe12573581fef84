import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/lib/sleep.ts';
import { Lock } from '../../src/kube/coordination/lock.ts';
import { lockTimes } from '../../src/kube/coordination/lock-times.ts';
import { builtFolder } from '../support/built-program.ts';
import { temporaryFolder, never } from '../support/hook-rig.ts';
import { inProcessClient } from '../support/in-process-client.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';
import { until } from '../support/operator-rig.ts';
import { runProgram, startProgram } from '../support/program.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

/** A guard that says that it is there, and reads nothing. */
const DEAF_GUARD =
  "import { closeSync } from 'node:fs'; closeSync(0); process.stdout.write('ready\\n'); setTimeout(() => {}, 5000);";

/** The processes that guard the command of a `hooklet lock`. */
function guardsOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('lock-guard'));
}

async function rig() {
  const sandbox = await sandboxForTest();
  const tmp = temporaryFolder();
  const client = inProcessClient(sandbox);
  const env = { KUBECONFIG: kubeconfigFile(tmp.path, sandbox), POD_NAME: 'laptop', POD_NAMESPACE: 'default' };
  const lockOf = (name: string, forMs = 30_000) =>
    new Lock({ client, namespace: 'default', name, times: lockTimes(forMs) });
  return {
    env,
    client,
    folder: tmp.path,
    lock: async (...args: readonly string[]) => runProgram(['lock', ...args], { env }),
    take: async (name: string, holder: string, forMs?: number) => {
      const answer = await lockOf(name, forMs).take(holder, never);
      if (answer.type !== 'taken') throw new Error(`the lock is ${answer.type}`);
      return answer.held;
    },
    holder: async (name: string) => {
      const lease = await client.request({ method: 'GET', path: `${LEASES}/${name}` }, never);
      return JSON.stringify(lease).match(/"holderIdentity":"([^"]*)"/)?.[1];
    },
    [Symbol.dispose]: () => tmp[Symbol.dispose](),
  };
}

describe('hooklet lock', { timeout: 60_000 }, () => {
  it('runs a command while it holds the lock, with its exit code, and frees the lock', async () => {
    using cluster = await rig();

    const { exitCode, stdout } = await cluster.lock('nightly', '--', 'sh', '-c', 'echo "$1"; exit 3', 'sh', '--wait');

    expect({ exitCode, stdout: stdout.trim() }).toEqual({ exitCode: 3, stdout: '--wait' });
    expect(await cluster.holder('nightly')).toBe('');
  });

  it('exits with 75 and says who holds the lock where it is not free in time, and runs nothing', async () => {
    using cluster = await rig();
    await cluster.take('nightly', 'web-0_run\u001b[31m');

    const { exitCode, stdout, stderr } = await cluster.lock('nightly', '--wait', '0', '--', 'echo', 'ran');

    expect({ exitCode, stdout }).toEqual({ exitCode: 75, stdout: '' });
    expect(stderr).toMatch(/^hooklet: the lock default\/nightly is held by web-0_run\S*\[31m since 20\S+Z \(\d+s\)\n$/);
    expect(stderr).not.toContain('\u001b');
  });

  it('takes the lock of a holder that is gone when it has seen no renewal for 3 s', async () => {
    using cluster = await rig();
    await cluster.take('nightly', 'dead', 3000);

    expect(await cluster.lock('nightly', '--', 'true')).toMatchObject({ exitCode: 0 });
  });

  it('refuses a Lease without the label, and leaves it alone', async () => {
    using cluster = await rig();
    const spec = { holderIdentity: 'controller', leaseDurationSeconds: 1 };
    const body = JSON.stringify({ metadata: { name: 'controller', namespace: 'default' }, spec });
    await cluster.client.request({ method: 'POST', path: LEASES, body }, never);

    const { exitCode, stderr } = await cluster.lock('controller', '--', 'true');

    expect(exitCode).toBe(1);
    expect(stderr).toContain('the Lease default/controller is not a lock of hooklet: it has no label hooklet.dev/lock');
    expect(await cluster.holder('controller')).toBe('controller');
  });

  it('ends the command, and what the command started, when the lock is taken away', async () => {
    using cluster = await rig();
    const started = join(cluster.folder, 'started');
    const script = `sleep 600 & echo $! > ${started}.tmp && mv ${started}.tmp ${started}; wait`;
    const program = startProgram(['lock', 'nightly', '--for', '3s', '--', 'sh', '-c', script], { env: cluster.env });
    await until(() => expect(existsSync(started)).toBe(true));
    const body = JSON.stringify({ spec: { holderIdentity: 'thief' } });
    const contentType = 'application/merge-patch+json';
    await cluster.client.request({ method: 'PATCH', path: `${LEASES}/nightly`, body, contentType }, never);

    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('the lock default/nightly is lost: thief took it, the command was ended');
    const pid = Number(readFileSync(started, 'utf8'));
    await until(() => expect(() => process.kill(pid, 0)).toThrow());
  });

  it('ends the command when it is killed itself, so that the lock runs out over nobody', async () => {
    using cluster = await rig();
    const started = join(cluster.folder, 'started');
    const script = `echo $$ > ${started}.tmp && mv ${started}.tmp ${started}; exec sleep 600`;
    const program = startProgram(['lock', 'nightly', '--', 'sh', '-c', script], { env: cluster.env });
    await until(() => expect(existsSync(started)).toBe(true));

    program.signal('SIGKILL');

    const pid = Number(readFileSync(started, 'utf8'));
    await until(() => expect(() => process.kill(pid, 0)).toThrow());
  });

  it('has its command killed before 3 s are over when it stands still, and says that the lock was lost', async () => {
    using cluster = await rig();
    const beats = join(cluster.folder, 'beats');
    const script = `trap '' TERM; while true; do date +%s%3N >> ${beats}; sleep 0.05; done`;
    const program = startProgram(['lock', 'nightly', '--for', '3s', '--', 'sh', '-c', script], { env: cluster.env });
    await until(() => expect(existsSync(beats)).toBe(true));

    program.signal('SIGSTOP');
    const stoppedAt = Date.now();
    await sleep(3500, never);
    const last = Number(readFileSync(beats, 'utf8').trim().split('\n').at(-1));
    program.signal('SIGCONT');

    expect(last - stoppedAt).toBeLessThan(3000);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('the lock default/nightly is lost');
  });

  it.each([
    ['ended at once with 7', 'process.exit(7);'],
    ['has ended: write EPIPE', DEAF_GUARD],
  ])('runs nothing where the process that guards the command %s, says so, and frees the lock', async (why, guard) => {
    using cluster = await rig();
    const built = join(cluster.folder, 'built');
    cpSync(builtFolder(), built, { recursive: true });
    writeFileSync(join(built, 'lock-guard.js'), guard);

    const { exitCode, stdout, stderr } = await runProgram(['lock', 'nightly', '--', 'echo', 'ran'], {
      env: cluster.env,
      main: join(built, 'main.js'),
    });

    expect(exitCode).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toBe(`hooklet: echo is not started, as the process that would guard it ${why}\n`);
    expect(await cluster.holder('nightly')).toBe('');
  });

  it('ends a command that begins without a shell when nothing guards it, and says so', async () => {
    using cluster = await rig();
    const built = join(cluster.folder, 'built');
    cpSync(builtFolder(), built, { recursive: true });
    writeFileSync(join(built, 'lock-guard.js'), DEAF_GUARD);

    const { exitCode, stderr } = await runProgram(['lock', 'nightly', '--', 'sleep', '600'], {
      env: { ...cluster.env, 'tls.key': 'a key' },
      main: join(built, 'main.js'),
    });

    expect(exitCode).toBe(128 + 15);
    expect(stderr).toBe('hooklet: sleep is ended, as the process that guards it has ended: write EPIPE\n');
    expect(await cluster.holder('nightly')).toBe('');
  });

  it('replaces the process that guards the command when it ends, and says so', async () => {
    using cluster = await rig();
    const started = join(cluster.folder, 'started');
    const script = `echo $$ > ${started}.tmp && mv ${started}.tmp ${started}; exec sleep 600`;
    const program = startProgram(['lock', 'nightly', '--', 'sh', '-c', script], { env: cluster.env });
    await until(() => expect(existsSync(started)).toBe(true));
    const [guard = 0] = guardsOf(program.pid);

    process.kill(guard, 'SIGKILL');
    const replaced = 'hooklet: the process that guards sh had ended, another does now\n';
    await until(() => expect(program.stderr()).toBe(replaced));
    program.signal('SIGKILL');
    const pid = Number(readFileSync(started, 'utf8'));
    await until(() => expect(() => process.kill(pid, 0)).toThrow());
  });

  it('ends the command when the processes that guard it end again and again', async () => {
    using cluster = await rig();
    const built = join(cluster.folder, 'built');
    cpSync(builtFolder(), built, { recursive: true });
    const guard = "process.stdout.write('ready\\n'); process.stdin.once('data', () => process.exit(1));";
    writeFileSync(join(built, 'lock-guard.js'), guard);

    const { exitCode, stderr } = await runProgram(['lock', 'nightly', '--', 'sleep', '600'], {
      env: cluster.env,
      main: join(built, 'main.js'),
    });

    expect(exitCode).toBe(128 + 15);
    expect(stderr).toContain('hooklet: sleep is ended, as the process that guards it has ended 5 times\n');
    expect(await cluster.holder('nightly')).toBe('');
  });

  it.each([{ line: 'mine' }, { line: 'mine', 'tls.key': 'a key' }])(
    'leaves the environment of the command as it is: %o',
    async (given) => {
      using cluster = await rig();
      const args = ['lock', 'nightly', '--', process.execPath, '-p', 'JSON.stringify(process.env)'];

      const { stdout } = await runProgram(args, { env: { ...cluster.env, ...given } });

      const seen: unknown = JSON.parse(stdout);
      expect(seen).toMatchObject(given);
      expect(seen).not.toHaveProperty('__hooklet_lock_begin');
    },
  );

  it.each([
    [127, 'not found', 'no-such-program'],
    [126, 'denied', '/etc/passwd'],
  ])('exits with %i for a command that cannot be started, and says why', async (code, why, program) => {
    using cluster = await rig();

    const { exitCode, stderr } = await cluster.lock('nightly', '--', program);

    expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(why) });
    expect(await cluster.holder('nightly')).toBe('');
  });

  it('passes SIGTERM on, and frees the lock', async () => {
    using cluster = await rig();
    const started = join(cluster.folder, 'started');
    const script = `trap 'exit 9' TERM; : > ${started}; while true; do sleep 0.1; done`;
    const program = startProgram(['lock', 'nightly', '--', 'sh', '-c', script], { env: cluster.env });
    await until(() => expect(existsSync(started)).toBe(true));

    program.signal('SIGTERM');

    expect(await program.ended).toBe(9);
    expect(await cluster.holder('nightly')).toBe('');
  });

  it('lists and shows locks alone, with holder and age', async () => {
    using cluster = await rig();
    await cluster.take('nightly', 'web-0_1');
    const body = JSON.stringify({ metadata: { name: 'other', namespace: 'default' }, spec: { holderIdentity: 'x' } });
    await cluster.client.request({ method: 'POST', path: LEASES, body }, never);

    const list = await cluster.lock('list');
    const show = await cluster.lock('show', 'nightly');

    expect(list.stdout).toMatch(/^NAMESPACE {2}NAME +HOLDER +AGE +RENEWED\ndefault +nightly +web-0_1 +\d+s +\d+s\n$/);
    expect(show.stdout).toMatch(/^the lock default\/nightly is held by web-0_1 since \S+ \(\d+s\)\nrenewed \d+s ago/);
    expect((await cluster.lock('show', 'free')).stdout).toBe('the lock default/free is free\n');
  });

  it('releases the lock of a holder that is gone, and only with --yes', async () => {
    using cluster = await rig();
    await cluster.take('nightly', 'dead', 3000);

    expect((await cluster.lock('release', 'nightly')).stdout).toContain('nothing is changed; add --yes');
    expect(await cluster.holder('nightly')).toBe('dead');
    expect(await cluster.lock('release', 'nightly', '--yes')).toMatchObject({ exitCode: 0 });
    expect(await cluster.holder('nightly')).toBe('');
  });

  it('refuses to release the lock of a holder that renews, and with --force has the others wait until it has ended', async () => {
    using cluster = await rig();
    const held = await cluster.take('nightly', 'alive', 6000);
    const renewing = held.renew(never);

    const refused = await cluster.lock('release', 'nightly', '--yes');
    const forced = await cluster.lock('release', 'nightly', '--yes', '--force');
    await renewing;

    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('its holder lives') });
    expect(forced).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('others take it within 6s') });
    expect(held.lost.reason).toMatchObject({ message: expect.stringContaining('laptop_released-by-force took it') });
  });

  it.each([
    { args: ['No_Name', '--', 'true'], problem: 'name: got "No_Name", expected the name of a Lease' },
    { args: ['nightly'], problem: 'lock: got no command, expected one after --' },
    { args: ['nightly', '--for', '1s', '--', 'true'], problem: '--for: got "1s", expected a duration from 3s to 1h' },
    { args: ['nightly', '--wait', 'long', '--', 'true'], problem: '--wait: got "long", expected a duration' },
    { args: ['nightly', '--namespace', '../x', '--', 'true'], problem: '--namespace: got "../x", expected the name' },
  ])('refuses $args', async ({ args, problem }) => {
    using cluster = await rig();

    expect(await cluster.lock(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(problem) });
  });
});
