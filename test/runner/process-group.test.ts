import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { PipePool } from '../../src/runner/pipe-pool.ts';
import { type GroupHost, runGroup } from '../../src/runner/process-group.ts';
import { RunOutput } from '../../src/runner/run-output.ts';
import type { Exit, SpawnerReport, SpawnRequest } from '../../src/runner/spawner-protocol.ts';
import { hooksDir, never, temporaryFolder } from '../support/hook-rig.ts';

interface Run {
  readonly exit: Exit;
  readonly lines: readonly string[];
}

interface RunOptions extends Partial<SpawnRequest> {
  readonly signal?: AbortSignal;
  readonly graceMs?: number;
  readonly pipeGraceMs?: number;
  readonly host?: Partial<GroupHost>;
  readonly onLine?: (line: string) => void;
  /** The folder of the pipes; if it is a file, none can be created. */
  readonly pipes?: string;
}

async function run(fixture: string, options: RunOptions = {}): Promise<Run> {
  using folder = temporaryFolder();
  const {
    signal = never,
    graceMs = 600_000,
    onLine = () => {},
    pipes = folder.path,
    pipeGraceMs,
    host: given,
    ...request
  } = options;
  const lines: string[] = [];
  const { captureBytes } = request;
  const output = new RunOutput({
    limitBytes: 1024 * 1024,
    ...(captureBytes === undefined ? {} : { captureBytes }),
    onLines: (batch) => {
      for (const { line } of batch) {
        lines.push(line);
        onLine(line);
      }
    },
  });
  const reports: SpawnerReport[] = [];
  const host = {
    pipes: new PipePool(pipes),
    takeCpu: () => ({ userCpuMs: 1 }),
    baseEnv: { PATH: process.env['PATH'] ?? '', CUSTOM: 'inherited' },
    graceMs: () => graceMs,
    ...(pipeGraceMs !== undefined && { pipeGraceMs }),
    ...given,
    report: (report: SpawnerReport) => reports.push(report),
  };
  const path = fixture.startsWith('/') ? fixture : join(hooksDir, fixture);
  const exit = await runGroup({ id: 1, path, args: [], cwd: hooksDir, env: {}, ...request }, host, output, signal);
  return { exit, lines };
}

const shell = (script: string): Partial<SpawnRequest> => ({ args: ['-c', script] });

/** Whether the process exists and is not a zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('runGroup', () => {
  it.each([
    ['exit 0', { exitCode: 0 }],
    ['exit 3', { exitCode: 3 }],
    ['kill -9 $$', { signal: 'SIGKILL' }],
  ])('reports how a process ended: %s', async (script, expected) => {
    const { exit } = await run('/bin/sh', shell(script));

    expect(exit).toMatchObject({ ...expected, timedOut: false, usage: { userCpuMs: 1 } });
  });

  it.each(['run-deleted.sh', 'run-missing-interpreter.sh', 'run-crlf.sh'])(
    'tells why %s could not be started',
    async (fixture) => {
      const { exit } = await run(fixture);

      expect(exit).toMatchObject({ startError: { code: 'ENOENT' } });
    },
  );

  it('reports why a file that is not executable could not be started', async () => {
    const { exit } = await run('run-not-executable.sh');

    expect(exit).toMatchObject({ startError: { code: 'EACCES' } });
  });

  it('ends a hook that runs too long with all it has started', async () => {
    const { exit } = await run('run-forever.sh', { timeoutMs: 100 });

    expect(exit).toMatchObject({ signal: 'SIGTERM', timedOut: true });
  });

  it('kills a hook that ignores SIGTERM after the grace period', async () => {
    const controller = new AbortController();

    // It prints a word once it ignores the signal.
    const { exit } = await run('run-ignores-term.sh', {
      signal: controller.signal,
      graceMs: 100,
      onLine: () => controller.abort(),
    });

    expect(exit).toMatchObject({ signal: 'SIGKILL' });
  });

  it('gives up a process that SIGKILL does not end, as one that waits for a file server', async () => {
    const signals: NodeJS.Signals[] = [];
    let pid: number | undefined;
    const kill = (to: number | undefined, signal: NodeJS.Signals): void => {
      pid = to;
      signals.push(signal);
    };

    const { exit } = await run('run-forever.sh', { timeoutMs: 100, graceMs: 50, host: { unkillableMs: 50, kill } });
    process.kill(-(pid ?? NaN), 'SIGKILL');

    expect(signals.slice(0, 2)).toEqual(['SIGTERM', 'SIGKILL']);
    expect(exit).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
    expect(exit.startError?.message).toContain('did not end within 0.05 s of SIGKILL');
  });

  it('ends the hook when the signal aborts', async () => {
    const controller = new AbortController();

    const { exit } = await run('run-forever.sh', { signal: controller.signal, onLine: () => controller.abort() });

    expect(exit).toMatchObject({ signal: 'SIGTERM', timedOut: false });
  });

  it('does not wait for a background process that holds the pipes, and leaves none', async () => {
    const { exit, lines } = await run('run-leaves-daemon.sh');

    expect(exit.exitCode).toBe(0);
    const pid = Number(/^daemon (\d+)$/.exec(lines[0] ?? '')?.[1]);
    expect(pid).toBeGreaterThan(0);
    // It was killed, and disappears as soon as the machine schedules it.
    await vi.waitUntil(() => !isAlive(pid), { timeout: 30_000 });
  });

  const hold = { exitCodes: [0], limitMs: 600_000 };

  it('waits for a background job that holds the output, with hold', async () => {
    const { exit, lines } = await run('/bin/sh', { ...shell('(sleep 0.3; echo late) & echo early'), hold });

    expect(exit).toMatchObject({ exitCode: 0, timedOut: false });
    expect(exit.heldBy).toBeUndefined();
    expect(lines).toEqual(['early', 'late']);
  });

  it('waits for one that left the group and holds the output, with hold', async () => {
    const script = `setsid --fork sh -c 'sleep 0.3; echo late'; echo early`;

    const { lines } = await run('/bin/sh', { ...shell(script), hold });

    expect(lines).toEqual(['early', 'late']);
  });

  it('kills a background job that has closed its output, and does not wait for it', async () => {
    const { lines } = await run('/bin/sh', { ...shell('sleep 600 > /dev/null 2>&1 & echo $!'), hold });

    await vi.waitUntil(() => !isAlive(Number(lines[0])), { timeout: 30_000 });
  });

  it('ends a job that holds the output at the limit, and names it', async () => {
    const { exit, lines } = await run('run-leaves-daemon.sh', { hold: { ...hold, limitMs: 200 } });

    const pid = Number(/^daemon (\d+)$/.exec(lines[0] ?? '')?.[1]);
    expect(exit).toMatchObject({ exitCode: 0, timedOut: false, heldBy: `process ${pid} (sleep)` });
    expect(exit.stderr).toBe(`hooklet: process ${pid} (sleep) still held its output\n`);
    await vi.waitUntil(() => !isAlive(pid), { timeout: 30_000 });
  });

  it('lets the time limit of the run count for such a job too', async () => {
    const { exit } = await run('run-leaves-daemon.sh', { hold, timeoutMs: 300 });

    expect(exit).toMatchObject({ exitCode: 0, timedOut: true, heldBy: expect.stringContaining('(sleep)') });
  });

  it('says in the log whom it waits for', async () => {
    const controller = new AbortController();
    const onLine = (line: string): void => {
      if (line.startsWith('hooklet:')) controller.abort();
    };

    const { exit, lines } = await run('run-leaves-daemon.sh', { hold, signal: controller.signal, onLine });

    expect(lines[1]).toMatch(/until its output is closed, at most 10m from its end: process \d+ \(sleep\) holds it$/);
    expect(exit).toMatchObject({ timedOut: false, heldBy: expect.stringContaining('(sleep)') });
  });

  it.each(['exit 3', 'kill -9 $$'])('waits for nobody after %s', async (end) => {
    const { exit } = await run('/bin/sh', { ...shell(`sleep 600 & ${end}`), hold });

    expect(exit.heldBy).toBeUndefined();
  });

  it('does not wait for a process that left the group', async () => {
    const { exit, lines } = await run('run-leaves-session.sh');

    expect(exit.exitCode).toBe(0);
    const pid = Number(/^left (\d+)$/.exec(lines[0] ?? '')?.[1]);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('receives what a process of the group prints just after the hook has ended', async () => {
    const { lines } = await run('/bin/sh', { ...shell('(sleep 0.02; echo late) & echo early'), pipeGraceMs: 30_000 });

    expect(lines).toEqual(['early', 'late']);
  });

  it('is not harmed by 400 MB of output', async () => {
    const before = process.memoryUsage.rss();

    const { exit, lines } = await run('run-floods.sh');

    expect(exit.exitCode).toBe(0);
    expect(lines.toSorted()).toEqual(['all said', `${'x'.repeat(10_000)}:truncated`]);
    expect(process.memoryUsage.rss() - before).toBeLessThan(300e6);
  });

  it('gives a half line and replaces what is no text', async () => {
    const half = await run('run-half-line.sh');
    const garbage = await run('run-garbage.sh');

    expect(half.lines).toEqual(['one line', 'no line break']);
    expect(garbage.lines).toEqual(['bad \uFFFD\uFFFD bytes']);
  });

  it('keeps the end of stderr for the error', async () => {
    const { exit } = await run('/bin/sh', shell('echo the reason >&2; exit 1'));

    expect(exit.stderr).toBe('the reason\n');
  });

  it('gives the process its arguments, its folder and its environment', async () => {
    const args = ['-c', 'pwd; echo "$1 $OWN $CUSTOM"', 'sh', 'argument'];

    const { lines } = await run('/bin/sh', { args, env: { OWN: 'given' } });

    expect(lines).toEqual([hooksDir, 'argument given inherited']);
  });

  it('captures stdout whole', async () => {
    const { exit, lines } = await run('/bin/sh', {
      ...shell('echo "{"; echo "}"; echo careful >&2'),
      captureBytes: 1000,
    });

    expect(exit).toMatchObject({ exitCode: 0, stdout: '{\n}\n', stderr: 'careful\n' });
    expect(lines).toEqual([]);
  });

  it('ends a process that prints more than is captured', async () => {
    const { exit } = await run('/bin/sh', { ...shell('yes'), captureBytes: 1000 });

    expect(exit.startError).toEqual({ code: '', message: 'printed more than 1000 bytes' });
  });

  it('reads through pipes of Node where no others can be made', async () => {
    const { exit, lines } = await run('/bin/sh', { ...shell('echo out; sleep 600 &'), pipes: '/dev/null' });

    expect(exit.exitCode).toBe(0);
    expect(lines).toEqual(['out']);
  });
});
