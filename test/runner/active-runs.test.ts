import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ActiveRuns } from '../../src/runner/active-runs.ts';
import { PipePool } from '../../src/runner/pipe-pool.ts';
import type { SpawnerReport } from '../../src/runner/spawner-protocol.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { hooksDir, never, temporaryFolder } from '../support/hook-rig.ts';

function openRuns(folder: string) {
  const reports: SpawnerReport[] = [];
  const settings = { folder, graceMs: 600_000, outputLimitBytes: 1000 };
  const baseEnv = { PATH: process.env['PATH'] ?? '' };
  const report = (message: SpawnerReport): void => void reports.push(message);
  const runs = new ActiveRuns(settings, { pipes: new PipePool(folder), takeCpu: () => ({}), baseEnv, report });
  const spawn = (id: number, script: string): void =>
    runs.handle({ type: 'spawn', id, path: '/bin/sh', args: ['-c', script], cwd: hooksDir, env: {} });
  const exitOf = (id: number): Promise<SpawnerReport> =>
    vi.waitUntil(() => reports.find((message) => message.type === 'exit' && message.id === id), { timeout: 30_000 });
  return { runs, reports, spawn, exitOf };
}

describe('ActiveRuns', () => {
  it('reports the output and the end of a run, in this order', async () => {
    using folder = temporaryFolder();
    const { reports, spawn, exitOf } = openRuns(folder.path);

    spawn(7, 'echo hello');
    await exitOf(7);

    expect(reports.filter(({ type }) => type !== 'started')).toEqual([
      { type: 'output', id: 7, lines: [{ stream: 'stdout', line: 'hello' }] },
      { type: 'exit', id: 7, exit: expect.objectContaining({ exitCode: 0 }) },
    ]);
  });

  it('reports the process of a run that takes a while', async () => {
    using folder = temporaryFolder();
    const { runs, reports, spawn, exitOf } = openRuns(folder.path);

    spawn(7, 'sleep 600');
    await vi.waitUntil(() => reports.length > 0, { timeout: 30_000 });
    runs.handle({ type: 'terminate', id: 7 });
    await exitOf(7);

    expect(reports[0]).toEqual({ type: 'started', id: 7, pid: expect.any(Number) });
  });

  it('terminates one run and leaves the others', async () => {
    using folder = temporaryFolder();
    const { runs, spawn, exitOf } = openRuns(folder.path);
    spawn(1, 'sleep 600');
    spawn(2, 'read never < /dev/stdin; exit 4');

    runs.handle({ type: 'terminate', id: 1 });

    expect(await exitOf(1)).toMatchObject({ exit: { signal: 'SIGTERM' } });
    expect(await exitOf(2)).toMatchObject({ exit: { exitCode: 4 } });
  });

  it('kills all runs when the operator says nothing for as long as its fence allows, and those alone', async () => {
    using folder = temporaryFolder();
    const { runs, spawn, exitOf } = openRuns(folder.path);
    const beganAt = performance.now();
    spawn(1, "trap '' TERM; sleep 600 & wait; wait");

    for (let fences = 0; fences < 4; fences += 1) {
      runs.handle({ type: 'fence', leftMs: 500 });
      await sleep(200, never);
    }
    const lost = { isLost: true, startError: { message: expect.stringContaining('the operator stood still') } };
    expect(await exitOf(1)).toMatchObject({ exit: { signal: 'SIGKILL', ...lost } });
    expect(performance.now() - beganAt).toBeGreaterThan(1000);
    spawn(2, 'exit 4');
    expect(await exitOf(2)).toMatchObject({ exit: { exitCode: 4 } });
  });

  it('kills nothing after a fence was taken away', async () => {
    using folder = temporaryFolder();
    const { runs, spawn, exitOf } = openRuns(folder.path);

    runs.handle({ type: 'fence', leftMs: 100 });
    spawn(1, 'sleep 0.5; exit 4');
    runs.handle({ type: 'fence' });

    expect(await exitOf(1)).toMatchObject({ exit: { exitCode: 4 } });
  });

  it('gives a run its whole output limit again', async () => {
    using folder = temporaryFolder();
    const { runs, reports, spawn, exitOf } = openRuns(folder.path);
    const lines = (): readonly string[] =>
      reports.flatMap((message) => (message.type === 'output' ? message.lines.map(({ line }) => line) : []));
    const gate = join(folder.path, 'gate');
    spawn(1, `mkfifo ${gate}; i=0; while [ $i -lt 20 ]; do echo $i; i=$((i+1)); done; read go < ${gate}; echo after`);
    await vi.waitUntil(() => lines().length === 9, { timeout: 30_000 });

    runs.handle({ type: 'refill', id: 1 });
    runs.handle({ type: 'spawn', id: 2, path: '/bin/sh', args: ['-c', `echo go > ${gate}`], cwd: '/', env: {} });
    await exitOf(1);

    expect(lines().at(-1)).toBe('after');
  });

  it('ignores requests about runs that are over', () => {
    using folder = temporaryFolder();
    const { runs } = openRuns(folder.path);

    expect(() => runs.handle({ type: 'terminate', id: 99 })).not.toThrow();
    expect(() => runs.handle({ type: 'refill', id: 99 })).not.toThrow();
  });

  it('ends every run, and calls back when none is left', async () => {
    using folder = temporaryFolder();
    const { runs, reports, spawn } = openRuns(folder.path);
    spawn(1, 'sleep 600');
    spawn(2, 'sleep 600');
    await vi.waitUntil(() => reports.length === 2, { timeout: 30_000 });

    await new Promise<void>((resolve) => {
      runs.end(resolve);
    });

    expect(reports.filter(({ type }) => type === 'exit')).toHaveLength(2);
  });

  it('waits a short time only for a run that does not want to end', async () => {
    using folder = temporaryFolder();
    const { runs, reports, spawn } = openRuns(folder.path);
    spawn(1, "trap '' TERM; echo ready; while :; do sleep 0.05; done");
    await vi.waitUntil(() => reports.some(({ type }) => type === 'output'), { timeout: 30_000 });

    await new Promise<void>((resolve) => {
      runs.end(resolve);
    });

    expect(reports.at(-1)).toMatchObject({ type: 'exit', exit: { signal: 'SIGKILL' } });
  });
});
