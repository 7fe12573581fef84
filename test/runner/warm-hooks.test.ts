import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Hook } from '../../src/hook/binding.ts';
import type { FailedExecution } from '../../src/runner/executor.ts';
import { fixtureHook, hookRig, hooksDir, never } from '../support/hook-rig.ts';

type Rig = ReturnType<typeof hookRig>;

const hook = fixtureHook('run-warm.ts');

function contextsOf(...actions: readonly string[]): readonly Uint8Array[] {
  const objects = actions.map((action) => ({ metadata: { name: action }, do: action }));
  const snapshots = { commands: objects.map((object) => ({ object })) };
  const events = objects.map((object) => ({
    binding: 'commands',
    type: 'Event',
    watchEvent: 'Added',
    object,
    snapshots,
  }));
  return [Buffer.from(JSON.stringify(events))];
}

interface RunOptions {
  readonly settings?: Hook['settings'];
  readonly signal?: AbortSignal;
}

async function run(rig: Rig, action: string, { settings = {}, signal = never }: RunOptions = {}) {
  return rig.run({ hook: { ...hook, settings }, contexts: contextsOf(action), fields: { queue: 'main' } }, signal);
}

async function failure(rig: Rig, action: string, options: RunOptions = {}): Promise<FailedExecution> {
  const { settings = {}, signal = never } = options;
  const execution = await rig.execute({ hook: { ...hook, settings }, contexts: contextsOf(action) }, signal);
  if (execution.type !== 'failed') throw new Error('the hook did not fail');
  return execution;
}

async function pidOf(rig: Rig): Promise<string> {
  return (await run(rig, 'pid')).outputs.metrics;
}

// Started once for all tests; a test that needs its own creates it.
let rig: Rig;
beforeAll(() => {
  rig = hookRig();
});
beforeEach(() => {
  rig.log.lines.length = 0;
});
afterAll(() => rig[Symbol.asyncDispose]());

describe('a warm hook', () => {
  it('gets all its contexts and snapshots, and writes what an executable hook would', async () => {
    const result = await rig.run({ hook, contexts: contextsOf('answer', 'pid'), fields: {} }, never);

    expect(result.outputs.patch).toBe(
      '{"operation":"Delete","kind":"ConfigMap","name":"answer"}\n{"operation":"Delete","kind":"ConfigMap","name":"pid"}\n',
    );
    expect(result.outputs.metrics).toMatch(/^\{"name":"commands","action":"set","value":2\}\n\{"name":"pid"/);
    expect(result.usage).toEqual({
      userCpuMs: expect.any(Number),
      systemCpuMs: expect.any(Number),
      maxRssBytes: expect.any(Number),
    });
  });

  it('stays in one process', async () => {
    expect(await pidOf(rig)).toBe(await pidOf(rig));
  });

  it('prints to the log of its run', async () => {
    await run(rig, 'print');

    const fields = { queue: 'main', hook: 'run-warm.ts' };
    expect(rig.log.lines).toEqual([
      { level: 'info', message: 'hook output', fields: { ...fields, output: 'stdout', line: 'to the output' } },
      { level: 'warn', message: 'to the log', fields: { ...fields, hook_reason: 'asked' } },
      { level: 'info', message: 'hook output', fields: { ...fields, output: 'stderr', line: 'half a line' } },
    ]);
  });

  it('fails with the stack of what it throws, and keeps its process', async () => {
    const before = await pidOf(rig);

    const { error, outputs } = await failure(rig, 'throw');

    expect(error.message).toMatch(/^hook run-warm\.ts failed: its function threw\nError: as told\n.*run-warm\.ts:\d+/);
    expect(outputs?.patch).toContain('asked-before');
    expect(outputs?.metrics).toContain('counted-before');
    expect(await pidOf(rig)).toBe(before);
  });

  it('is told the span of its run, where there is one', async () => {
    const traced = await rig.execute({ hook, contexts: contextsOf('trace'), traceparent: '00-1-2-01' }, never);
    const plain = await rig.execute({ hook, contexts: contextsOf('trace') }, never);

    expect(traced.outputs?.patch).toContain('"name":"00-1-2-01"');
    expect(plain.outputs?.patch).toContain('"name":"none"');
  });

  it('says by what it throws that it comes later, or failed for good, without a stack', async () => {
    const pid = await pidOf(rig);
    const later = await rig.execute({ hook, contexts: contextsOf('later'), runId: 'an-id' }, never);
    const permanent = await rig.execute({ hook, contexts: contextsOf('permanent') }, never);

    const said = { outcome: 'later', retryAfter: '30s', message: 'waiting for quorum' };
    expect(later).toMatchObject({ type: 'exited', outputs: { result: `${JSON.stringify(said)}\n` } });
    expect(later.outputs?.patch).toContain('"name":"an-id"');
    expect(permanent.type).toBe('exited');
    expect(JSON.parse(permanent.outputs?.result ?? '')).toEqual({
      outcome: 'permanent',
      reason: 'NoQuorum',
      message: 'none there',
      conditions: [{ type: 'Ready', status: 'False', reason: 'NoQuorum', message: '' }],
    });
    expect(rig.log.lines).toEqual([]);
    expect(await pidOf(rig)).toBe(pid);
  });

  it('fails with a result of 9 MB', async () => {
    expect((await failure(rig, 'large')).error.message).toMatch(
      /^hook run-warm\.ts failed: RESULT_PATH has 9000014 bytes, at most 8388608 \(8 MiB\) are read/,
    );
  });

  it('has its result read when it ends after its time is over, and nothing else', async () => {
    expect(await failure(rig, 'late', { settings: { timeoutMs: 200 } })).toMatchObject({
      isCutOff: true,
      outputs: { patch: '', metrics: '', result: '{"output":"at last"}\n' },
    });
  });

  it('fails when its process ends during the run, and gets another', async () => {
    const before = await pidOf(rig);

    const { error } = await failure(rig, 'exit');

    expect(error.message).toBe('hook run-warm.ts failed: its process ended during the run (exit code 7)');
    expect(await pidOf(rig)).not.toBe(before);
  });

  it('is asked to end when its time is over, and its process is replaced', async () => {
    const before = await pidOf(rig);

    const { error } = await failure(rig, 'wait', { settings: { timeoutMs: 100 } });

    expect(error.message).toContain('it ran longer than its time limit of 100ms (settings.timeout) and was ended');
    expect(error).toMatchObject({ ending: { timedOut: true } });
    expect(await pidOf(rig)).not.toBe(before);
  });

  it('is killed when it blocks its event loop, and what it printed before is not lost', async () => {
    await using rig = hookRig({ warm: { graceMs: 100 } });
    const controller = new AbortController();
    const failing = failure(rig, 'block', { signal: controller.signal });
    await vi.waitUntil(() => rig.output().length > 0, { timeout: 30_000 });

    controller.abort();
    const { error } = await failing;

    expect(error.message).toContain('it was ended because the operator is stopping');
    expect(rig.output()).toEqual(['before the end of time']);
    expect(await pidOf(rig)).toBeTruthy();
  });

  it('is asked to end when the operator stops', async () => {
    const controller = new AbortController();
    const running = failure(rig, 'wait', { signal: controller.signal }).catch(() => 'ended by itself');
    await vi.waitUntil(() => rig.output().length > 0, { timeout: 30_000 });

    controller.abort();

    expect(await running).toBe('ended by itself');
  });

  it('works on several runs at once', async () => {
    const controller = new AbortController();
    const waiting = run(rig, 'wait', { signal: controller.signal });
    await vi.waitUntil(() => rig.output().length > 0, { timeout: 30_000 });

    const during = await run(rig, 'answer');

    expect(during.outputs.metrics).toContain('"value":1');
    controller.abort();
    await waiting;
  });

  it('gets a new process after so many runs, without a failed run', async () => {
    await using rig = hookRig({ warm: { maxRuns: 3 } });

    const pids: string[] = [];
    for (let i = 0; i < 6; i++) pids.push(await pidOf(rig));

    expect(pids.map((pid) => pids.indexOf(pid))).toEqual([0, 0, 0, 3, 3, 3]);
  });

  it('gets a new process when the old one has grown too large', async () => {
    await using rig = hookRig({ warm: { maxRssBytes: 105e6 } });
    const before = await pidOf(rig);

    const { usage } = await run(rig, 'grow');

    expect(usage.maxRssBytes).toBeGreaterThan(105e6);
    expect(await pidOf(rig)).not.toBe(before);
  });

  it.each([
    ['run-warm-broken.ts', /Error: no luck at import\n.*run-warm-broken\.ts:1/],
    ['run-warm-no-definition.ts', /run-warm-no-definition\.ts does not export a hook: export default defineHook/],
    ['run-warm-deleted.ts', /Cannot find module .*run-warm-deleted\.ts/],
  ])('that cannot be loaded reports why: %s', async (name, reason) => {
    const broken = fixtureHook(name);

    const config = await rig.runner.readConfig(broken, never);
    const running = rig.run({ hook: broken, contexts: contextsOf('answer'), fields: {} }, never);

    expect(config).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(reason) });
    await expect(running).rejects.toThrow(reason);
  });

  it('is loaded again with its config', async () => {
    const path = join(rig.folder, 'hook.ts');
    const own: Hook = { ...hook, path };
    copyFileSync(join(hooksDir, 'run-warm.ts'), path);
    const first = await rig.runner.readConfig(own, never);

    const source =
      "import { defineHook, onStartup } from 'hooklet';\nexport default defineHook({ bindings: { a: onStartup(77) }, run() {} });\n";
    writeFileSync(path, source);
    const second = await rig.runner.readConfig(own, never);

    expect(JSON.parse(first.stdout)).toMatchObject({ onStartup: 1 });
    expect(JSON.parse(second.stdout)).toEqual({ configVersion: 'v1', onStartup: 77 });
  });

  it('whose module never ends to load is ended in time', async () => {
    const path = join(rig.folder, 'hook.ts');
    writeFileSync(path, 'await new Promise((resolve) => setTimeout(resolve, 600_000));\n');

    const controller = new AbortController();
    const loading = rig.runner.readConfig({ ...hook, path }, controller.signal);
    await vi.waitUntil(() => rig.processes().some((line) => line.includes(path)), { timeout: 30_000 });
    controller.abort();

    expect((await loading).signal).toBe('SIGTERM');
  });

  it('that crashes between runs is reported once, and runs again', async () => {
    const pid = Number(/"value":(\d+)/.exec(await pidOf(rig))?.[1]);

    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => rig.log.lines.length > 0, { timeout: 30_000 });
    await pidOf(rig);

    expect(rig.log.lines).toEqual([
      {
        level: 'warn',
        message: 'process of warm hook ended',
        fields: { hook: 'run-warm.ts', reason: 'SIGKILL', stderr: '' },
      },
    ]);
  });

  it('leaves no process', async () => {
    const rig = hookRig();
    await run(rig, 'answer');

    await rig[Symbol.asyncDispose]();

    expect(rig.processes()).toEqual([]);
  });
});
