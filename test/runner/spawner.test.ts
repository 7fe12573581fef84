import { describe, expect, it, vi } from 'vitest';
import { createSpawner } from '../../src/runner/spawner.ts';
import { brokenEntry, markedProcesses, never, temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

function openSpawner(folder: string, entry?: string) {
  const log = recordingLogger();
  const env = { ...process.env, HOOKLET_TEST_SPAWNER: folder };
  const spawner = createSpawner({ folder, env, log, ...(entry === undefined ? {} : { entry }) });
  const run = async (script: string, signal = never, onLine: () => void = () => {}) =>
    spawner.spawn({ path: '/bin/sh', args: ['-c', script], cwd: '/', env: {} }, { onLine, signal });
  return { spawner, log, run, pids: () => markedProcesses(`HOOKLET_TEST_SPAWNER=${folder}`) };
}

describe('createSpawner', () => {
  it('runs processes side by side', async () => {
    using folder = temporaryFolder();
    const { spawner, run } = openSpawner(folder.path);

    const exits = await Promise.all(Array.from({ length: 40 }, async (_, i) => run(`exit ${i}`)));

    expect(exits.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    await spawner.close();
  });

  it('ends a process when the signal aborts, also when it has before', async () => {
    using folder = temporaryFolder();
    const { spawner, run } = openSpawner(folder.path);
    const controller = new AbortController();

    const exit = await run('echo up; sleep 600', controller.signal, () => controller.abort());
    const late = await run('sleep 600', AbortSignal.abort());

    expect(exit).toMatchObject({ signal: 'SIGTERM' });
    expect(late).toMatchObject({ signal: 'SIGTERM' });
    await spawner.close();
  });

  it('starts again at once when its process dies, and logs that once', async () => {
    using folder = temporaryFolder();
    const { spawner, log, run, pids } = openSpawner(folder.path);
    await run(':');
    const [first] = pids();

    process.kill(first ?? 0, 'SIGKILL');
    await vi.waitUntil(() => pids().some((pid) => pid !== first), { timeout: 30_000 });

    expect(await run('exit 5')).toMatchObject({ exitCode: 5 });
    expect(log.lines).toEqual([
      { level: 'error', message: 'spawner process ended', fields: { reason: 'signal SIGKILL' } },
    ]);
    await spawner.close();
  });

  it('does not start a process again and again that never comes up', async () => {
    using folder = temporaryFolder();
    const { spawner, log, run } = openSpawner(folder.path, brokenEntry(folder.path));

    const exit = await run(':');
    await vi.waitUntil(() => log.lines.length > 0, { timeout: 30_000 });
    // Time in which another process could start and end; only the next run may start one.
    await run(':');
    await vi.waitUntil(() => log.lines.length > 1, { timeout: 30_000 });

    expect(exit.startError?.message).toContain('the spawner process ended');
    expect(log.lines).toHaveLength(2);
    await spawner.close();
  });

  it('leaves no process when its signal aborts', async () => {
    using folder = temporaryFolder();
    const { spawner, run, pids } = openSpawner(folder.path);
    const controller = new AbortController();
    const running = spawner.run(controller.signal);
    const { promise: isUp, resolve: onLine } = Promise.withResolvers<void>();
    const exit = run('echo up; sleep 600', never, onLine);
    await isUp;

    controller.abort();
    await running;

    // SIGKILL, if the machine is too slow to deliver SIGTERM within the grace period of one second.
    expect(await exit).toMatchObject({ signal: expect.stringMatching(/^SIG(?:TERM|KILL)$/) });
    expect(pids()).toEqual([]);
  });
});
