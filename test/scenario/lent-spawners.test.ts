import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createSpawner } from '../../src/runner/spawner.ts';
import { startSpawnerChild, type SpawnerChild } from '../../src/runner/spawner-child.ts';
import { LentSpawners } from '../../src/scenario/live/lent-spawners.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const NEVER = new AbortController().signal;

function rig() {
  const started: SpawnerChild[] = [];
  const spawners = new LentSpawners(() => {
    const child = startSpawnerChild(process.env);
    started.push(child);
    return child;
  });
  const open = (folder: string, first: SpawnerChild) =>
    createSpawner({ folder, env: process.env, log: recordingLogger(), first });
  const sh = (script: string) => ({ path: '/bin/sh', args: ['-c', script], cwd: '/', env: {} });
  return { spawners, started, open, sh, [Symbol.dispose]: () => spawners.end() };
}

it('2 borrowers, one after the other, have one process', async () => {
  using folder = temporaryFolder();
  using lent = rig();
  const lines: string[] = [];
  for (const name of ['first', 'second']) {
    const spawner = lent.open(folder.path, lent.spawners.take());
    const onLine = ({ line }: { readonly line: string }): void => void lines.push(line);
    const exit = await spawner.spawn(lent.sh(`echo ${name}`), { onLine, signal: NEVER });
    expect(exit.exitCode).toBe(0);
    await spawner.close();
  }

  expect([lines, lent.started.length]).toEqual([['first', 'second'], 1]);
});

it('what a borrower leaves running is killed, and nothing of it reaches the next one', async () => {
  using folder = temporaryFolder();
  using lent = rig();
  const pidFile = join(folder.path, 'pid');
  const first = lent.spawners.take();
  const one = lent.open(folder.path, first);
  const running = one.spawn(lent.sh(`trap '' TERM; echo $$ > ${pidFile}; while :; do sleep 60 & wait; done`), {
    onLine: () => {},
    signal: NEVER,
  });
  const pid = await vi.waitUntil(() => Number(readTextIfThere(pidFile)), { timeout: 30_000 });
  first.child.kill('SIGKILL');
  await one.close();
  expect((await running).isLost).toBe(true);
  await vi.waitUntil(() => !isThere(pid), { timeout: 30_000 });

  const two = lent.open(folder.path, lent.spawners.take());
  const lines: string[] = [];
  const onLine = ({ line }: { readonly line: string }): void => void lines.push(line);
  const exit = await two.spawn(lent.sh('echo alone'), { onLine, signal: NEVER });
  await two.close();

  expect([exit.exitCode, lines, lent.started.length]).toEqual([0, ['alone'], 1]);
});

it('a process that has died is not lent again', async () => {
  using folder = temporaryFolder();
  using lent = rig();
  const first = lent.spawners.take();
  lent.started[0]?.child.kill('SIGKILL');
  await first.ended;

  const spawner = lent.open(folder.path, lent.spawners.take());
  const exit = await spawner.spawn(lent.sh('exit 3'), { onLine: () => {}, signal: NEVER });
  await spawner.close();

  expect([exit.exitCode, lent.started.length]).toEqual([3, 2]);
});

function readTextIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
