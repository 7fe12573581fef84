import { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { siblingModule } from '../../src/runner/sibling-module.ts';
import { SpawnerLink } from '../../src/runner/spawner-link.ts';
import { brokenEntry, markedProcesses, spawnerProcesses, temporaryFolder } from '../support/hook-rig.ts';

function openLink(folder: string, entry = siblingModule('spawner-process')) {
  const settings = { folder, graceMs: 10_000, outputLimitBytes: 1000 };
  return new SpawnerLink({ entry, env: { ...process.env, HOOKLET_TEST_LINK: folder }, settings });
}

const sh = (script: string, folder: string) => ({
  path: '/bin/sh',
  args: ['-c', script],
  cwd: '/',
  env: { BINDING_CONTEXT_PATH: `${folder}/hook-1/binding-context.json` },
});

describe('SpawnerLink', () => {
  it('hands over every line before the exit', async () => {
    using folder = temporaryFolder();
    const link = openLink(folder.path);
    const lines: string[] = [];

    const { exit } = link.start(sh('echo one; echo two', folder.path), ({ line }) => lines.push(line));

    expect(await exit).toMatchObject({ exitCode: 0 });
    expect(lines).toEqual(['one', 'two']);
    await link.close();
  });

  it('ends each run when the process dies, and leaves nothing of them', async () => {
    using folder = temporaryFolder();
    const link = openLink(folder.path);
    const started = vi.fn<() => void>();
    const run = link.start(sh('setsid sleep 601 & echo up; sleep 602', folder.path), started);
    await vi.waitUntil(() => started.mock.calls.length > 0, { timeout: 30_000 });
    const [spawnerPid] = spawnerProcesses(`HOOKLET_TEST_LINK=${folder.path}`);

    process.kill(spawnerPid ?? 0, 'SIGKILL');
    const exit = await run.exit;

    expect(exit.startError?.message).toBe('the spawner process ended (signal SIGKILL) during the run');
    expect(exit.isLost).toBe(true);
    expect(await link.ended).toBe('signal SIGKILL');
    expect(link.isAlive).toBe(false);
    await vi.waitUntil(() => markedProcesses(`HOOKLET_TEST_LINK=${folder.path}`).length === 0, { timeout: 30_000 });
  });

  it('reports how a process ended that never became ready', async () => {
    using folder = temporaryFolder();
    const link = openLink(folder.path, brokenEntry(folder.path));

    const { exit } = link.start(sh(':', folder.path), () => {});

    expect((await exit).startError?.message).toMatch(/^the spawner process ended \(exit code 1\)/);
    expect(link.wasReady).toBe(false);
  });

  it('ends the runs and the process when it is closed', async () => {
    using folder = temporaryFolder();
    const link = openLink(folder.path);
    const up = Promise.withResolvers<void>();
    const { exit } = link.start(sh('echo up; sleep 600', folder.path), () => up.resolve());
    await up.promise;

    await link.close();

    // SIGKILL, if the machine is too slow to deliver SIGTERM within the grace period of one second.
    expect(await exit).toMatchObject({ signal: expect.stringMatching(/^SIG(?:TERM|KILL)$/) });
    expect(await link.ended).toBe('exit code 0');
  });

  it('kills a process that does not answer after 5 s, and waits 1 s for its end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    using folder = temporaryFolder();
    const { child, answer, kill } = mutedChild();
    const settings = { folder: folder.path, graceMs: 5000, outputLimitBytes: 1000 };
    const link = new SpawnerLink({ env: {}, settings }, child);
    answer();

    const { exit } = link.start(sh('exit', folder.path), () => {});
    await vi.advanceTimersByTimeAsync(4999);
    const before = [link.problem, kill.mock.calls.length];
    await vi.advanceTimersByTimeAsync(1);
    const after = [link.isAlive, kill.mock.calls];
    await vi.advanceTimersByTimeAsync(1000);

    expect(before).toEqual(['the spawner process has not answered for 4 s', 0]);
    expect(after).toEqual([true, [['SIGKILL']]]);
    expect(await link.ended).toBe('no answer for 5 s');
    expect(await exit).toMatchObject({
      isLost: true,
      startError: { message: 'the spawner process ended (no answer for 5 s) during the run' },
    });
  });

  it('gives up a run whose end is not reported within the grace period and 7 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    using folder = temporaryFolder();
    // It answers everything but never reports on its runs.
    const { child, answer } = mutedChild();
    const settings = { folder: folder.path, graceMs: 5000, outputLimitBytes: 1000 };
    const link = new SpawnerLink({ env: {}, settings }, child);
    const run = link.start(sh('exit', folder.path), () => {});
    const settled = vi.fn<(value: unknown) => void>();
    void run.exit.then(settled);

    run.terminate();
    const advance = async (seconds: number): Promise<void> => {
      for (let at = 0; at < seconds; at += 0.5) {
        answer();
        await vi.advanceTimersByTimeAsync(500);
      }
    };
    await advance(11.5);
    expect(settled).not.toHaveBeenCalled();
    await advance(0.5);

    expect(settled).toHaveBeenCalledWith(expect.objectContaining({ isLost: true }));
    expect((await run.exit).startError?.message).toMatch(/^the spawner process reported no end within 12 s of SIGTERM/);
  });
});

function mutedChild() {
  const kill = vi.fn<(signal: string) => boolean>(() => true);
  // A stopped process is not in a state for which the machine is to blame.
  const child = Object.assign(new ChildProcess(), { pid: undefined, kill });
  const channel = new Socket().on('error', () => {});
  const answer = (): void => void channel.emit('data', Buffer.from('{"type":"pong"}\n'));
  return { child: { child, channel, ended: new Promise<string>(() => {}) }, answer, kill };
}
