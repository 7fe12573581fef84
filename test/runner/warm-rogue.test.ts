import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import { fixtureHook, hookRig, markedProcesses, never, spawnerProcesses } from '../support/hook-rig.ts';

type Rig = ReturnType<typeof hookRig>;

const hook = fixtureHook('run-warm-rogue.ts');

async function run(rig: Rig, action: string, settings: { timeoutMs?: number } = {}) {
  const object = { metadata: { name: action }, do: action };
  const contexts = [Buffer.from(JSON.stringify([{ binding: 'commands', type: 'Event', watchEvent: 'Added', object }]))];
  return rig.run({ hook: { ...hook, settings }, contexts, fields: {} }, never);
}

async function failure(rig: Rig, action: string, settings: { timeoutMs?: number } = {}): Promise<string> {
  const error: unknown = await run(rig, action, settings).catch((reason: unknown) => reason);
  if (!(error instanceof HookFailedError)) throw new Error('the hook did not fail');
  return error.message;
}

// Started once for all tests; a test that needs its own creates it.
let rig: Rig;
beforeAll(() => {
  rig = hookRig();
});
beforeEach(() => {
  rig.log.lines.length = 0;
});
afterAll(async () => rig[Symbol.asyncDispose]());

const warnings = (): readonly unknown[] =>
  rig.log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['reason']);

describe('the operator', () => {
  it('logs what has no fields', async () => {
    await run(rig, 'logNull');

    expect(rig.log.lines).toEqual([{ level: 'info', message: 'x', fields: { hook: hook.name } }]);
  });

  it('logs what JSON cannot say as text', async () => {
    await run(rig, 'logOdd');

    expect(rig.log.lines).toMatchObject([
      {
        message: 'odd',
        fields: {
          hook_big: '10',
          hook_circle: { self: '[contains itself]' },
          hook_call: '[is a function]',
          hook_wrong: 'NaN',
          hook_broken: '[cannot be read: no value]',
          hook_proxy: '[cannot be read: no keys]',
          hook_problem: expect.stringMatching(/^RangeError: as told\n {4}at/),
        },
      },
    ]);
  });

  it('logs 10,000 characters of a message and of a field, and about 20,000 of all fields', async () => {
    await run(rig, 'logMuch');

    const [line] = rig.log.lines;
    expect(line?.message).toBe(`${'m'.repeat(10_000)}:truncated`);
    expect(line?.fields['hook_text']).toBe(`${'t'.repeat(10_000)}:truncated`);
    expect(JSON.stringify(line?.fields).length).toBeLessThan(25_000);
  });

  it.each([
    ['garbage', 'garbage', '"garbage": Unexpected token'],
    ['null', 'nothing', '"null": the message: received null, expected an object'],
    ['a line of 300 KiB', 'longLine', 'at most 262144 are read'],
    ['the announcement of 6 GiB', 'hugePatch', 'KUBERNETES_PATCH_PATH has 6442450944 bytes, at most 33554432'],
    ['reports without end', 'endless', /it sent more than \d+ bytes/],
  ])('ends a process that sends %s, and gives the hook another', async (_what, action, reason) => {
    const message = await failure(rig, action);

    expect(message).toMatch(/^hook run-warm-rogue\.ts failed: its process ended during the run \(it sent /);
    expect(message).toMatch(reason);
    expect(warnings()).toEqual([expect.stringMatching(reason)]);
    await run(rig, 'well');
  });

  it('ends a process that closes its connection', async () => {
    expect(await failure(rig, 'hangUp')).toContain('its process ended during the run (SIGTERM)');
  });

  it('is not harmed by what connects to the socket and sends garbage', async () => {
    await run(rig, 'well');
    const socket = connect(join(rig.folder, 'warm.sock'));
    socket.on('error', () => {});

    socket.write('garbage\n');

    await new Promise((resolve) => {
      socket.once('close', resolve);
    });
    await run(rig, 'well');
  });

  it('ends a stopped process when the time of its run is over', async () => {
    await using rig = hookRig({ warm: { graceMs: 50 }, spawnerOptions: { graceMs: 100 } });

    const message = await failure(rig, 'stop', { timeoutMs: 200 });

    expect(message).toContain('it ran longer than its time limit of 200ms (settings.timeout) and was ended');
    expect(rig.processes().filter((line) => line.includes('rogue'))).toEqual([]);
  });

  it('ends a stopped process when more than 256 MiB of contexts wait for it, with all its runs', async () => {
    await using rig = hookRig({ spawnerOptions: { graceMs: 100 } });
    const running = [run(rig, 'stop')];
    await vi.waitUntil(() => markedProcesses(rig.mark).some(isStopped), { timeout: 30_000 });
    const contexts = [Buffer.alloc(100 * 1024 * 1024)];

    for (let i = 0; i < 4; i++) running.push(rig.run({ hook, contexts, fields: {} }, never));
    const ends = await Promise.allSettled(running);

    expect(ends).toHaveLength(5);
    for (const end of ends) {
      expect(String(end.status === 'rejected' && end.reason)).toMatch(
        /it left 3\d{8} bytes of binding contexts unread/,
      );
    }
  });

  it('kills a process and ends its run though the spawner is stopped', async () => {
    await using rig = hookRig({ warm: { graceMs: 50, endLimitMs: 200 } });
    await run(rig, 'well');
    const spawners = spawnerProcesses(rig.mark);

    for (const pid of spawners) process.kill(pid, 'SIGSTOP');
    const message = await failure(rig, 'stop', { timeoutMs: 100 });
    for (const pid of spawners) process.kill(pid, 'SIGCONT');

    expect(message).toContain('it ran longer than its time limit of 100ms (settings.timeout) and was ended');
    await vi.waitUntil(() => !rig.processes().some((line) => line.includes('rogue')), { timeout: 30_000 });
  });

  it('does not wait for a module that is not loaded within its limit', async () => {
    await using rig = hookRig({ warm: { loadLimitMs: 300 } });
    const path = join(rig.folder, 'hook.ts');
    writeFileSync(path, 'setInterval(() => {}, 1000);\nawait new Promise(() => {});\n');
    const slow = { ...hook, path };

    const running = rig.run({ hook: slow, contexts: [Buffer.from('[]')], fields: {} }, never);
    await expect(running).rejects.toThrow('before its module was loaded (it was not loaded within 0.3 s)');
    const config = await rig.runner.readConfig(slow, never);

    expect(config.startError).toEqual({ code: '', message: 'it was not loaded within 0.3 s', isShortage: true });
  });

  it('does not wait for a module when the run is to end', async () => {
    await using rig = hookRig();
    const path = join(rig.folder, 'hook.ts');
    writeFileSync(path, 'setInterval(() => {}, 1000);\nawait new Promise(() => {});\n');
    const controller = new AbortController();

    const running = rig.run({ hook: { ...hook, path }, contexts: [], fields: {} }, controller.signal);
    await vi.waitUntil(() => rig.processes().some((line) => line.includes(path)), { timeout: 30_000 });
    controller.abort();

    await expect(running).rejects.toThrow('the operator is stopping, its module was not loaded');
  });

  it('starts nothing once it is closed', async () => {
    const rig = hookRig();
    const loading = rig.runner.readConfig(hook, never);

    await rig[Symbol.asyncDispose]();

    expect(await loading).not.toMatchObject({ exitCode: 0 });
    expect((await rig.runner.readConfig(hook, never)).startError?.message).toBe(
      'hooklet is stopping, no warm hook is started',
    );
    await expect(run(rig, 'well')).rejects.toThrow('hooklet is stopping, no warm hook is started');
    expect((await rig.runner.readConfig(fixtureHook('x.sh'), never)).startError?.message).toBe(
      'hooklet is stopping, nothing is started',
    );
    expect(rig.processes()).toEqual([]);
  });
});

function isStopped(pid: number): boolean {
  try {
    return /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
