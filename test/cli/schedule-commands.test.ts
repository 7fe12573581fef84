import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlClient, withOperator, type ControlIo } from '../../src/cli/control/client.ts';
import { listSchedules, setSuspended, triggerSchedule } from '../../src/cli/schedule/commands.ts';
import { UsageError } from '../../src/errors.ts';
import type { ScheduleOutcome } from '../../src/hook/schedule-control.ts';
import { createControlServer } from '../../src/server/control-server.ts';
import { fakeSchedules, scheduleStatus, type FakeSchedules } from '../support/fake-schedules.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const target = { hook: 'db/backup.sh', binding: 'nightly' };
let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let schedules: FakeSchedules;
let refusal: string | undefined;
let serving: Promise<void>;
let end: AbortController;

beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder.path, 'hooklet.socket');
  schedules = fakeSchedules(scheduleStatus());
  refusal = undefined;
  end = new AbortController();
  const options = { path, isRequired: true, schedules, refusal: () => refusal, log: recordingLogger() };
  serving = (await createControlServer(options)).run(end.signal);
});
afterEach(async () => {
  end.abort();
  await serving;
  folder[Symbol.dispose]();
});

/** Runs a command; returns its output and exit code. */
async function run(
  command: (io: ControlIo) => Promise<number>,
  { socket = path, signal = new AbortController().signal } = {},
) {
  let out = '';
  let err = '';
  const io: ControlIo = {
    client: controlClient(socket),
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    raw: (output) => void (out += String(output)),
    now: Date.now,
    signal,
  };
  const code = await withOperator(command, io);
  return { code, out, err };
}

describe('hooklet schedule', () => {
  it('list shows what the operator has', async () => {
    const { code, out, err } = await run(async (io) => listSchedules('json', io));

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject([{ ...target, suspended: false, kept: false }]);
    expect((await run(async (io) => listSchedules(undefined, io))).out).toMatch(/^HOOK .*\ndb\/backup\.sh {2}nightly /);
  });

  it('list on a replica that stands by says so', async () => {
    refusal = 'this replica stands by, pod-1 leads';

    const { code, err } = await run(async (io) => listSchedules(undefined, io));

    expect({ code, err }).toEqual({ code: 0, err: 'this replica stands by, pod-1 leads\n' });
  });

  it('trigger prints the id of the run', async () => {
    expect(await run(async (io) => triggerSchedule(target, false, io))).toEqual({ code: 0, out: 'run-1\n', err: '' });
    expect(schedules.asked).toEqual(['trigger db/backup.sh nightly']);
  });

  it.each<[ScheduleOutcome, number, string]>([
    ['succeeded', 0, 'run-1 succeeded\n'],
    ['failed', 1, 'run-1 failed: why is in the log of the operator\n'],
    ['interrupted', 1, 'run-1 interrupted\n'],
    ['replaced', 1, 'run-1 replaced\n'],
  ])('trigger --wait ends when the run has %s, with exit code %i', async (outcome, code, err) => {
    const list = schedules.list.bind(schedules);
    let asked = 0;
    schedules.list = () => {
      asked += 1;
      if (asked === 2) schedules.statuses = schedules.statuses.map((status) => ({ ...status, outcome: 'running' }));
      if (asked === 3) schedules.statuses = schedules.statuses.map((status) => ({ ...status, outcome }));
      return list();
    };

    expect(await run(async (io) => triggerSchedule(target, true, io))).toEqual({ code, out: 'run-1\n', err });
  });

  it('trigger --wait does not mistake another run for its own, and can be ended', async () => {
    const ended = await run(async (io) => triggerSchedule(target, true, io), { signal: AbortSignal.abort() });
    expect(ended).toMatchObject({ code: 1, err: 'hooklet: run-1 goes on without being waited for\n' });

    const list = schedules.list.bind(schedules);
    schedules.list = () => list().map((status) => ({ ...status, runId: 'another', outcome: 'succeeded' }));
    const other = await run(async (io) => triggerSchedule(target, true, io));
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('a later run has begun') });
  });

  it('suspend says when a restart undoes it, and resume when it goes on', async () => {
    const suspended = await run(async (io) => setSuspended(target, true, io));
    schedules.statuses = [scheduleStatus({ isSuspended: true, isKept: true })];
    const kept = await run(async (io) => setSuspended(target, true, io));
    schedules.statuses = [scheduleStatus({ nextAtMs: Date.parse('2026-01-06T03:00:00Z') })];
    const resumed = await run(async (io) => setSuspended(target, false, io));

    expect(suspended.out).toBe('db/backup.sh nightly suspended\n');
    expect(suspended.err).toContain('Its state is not kept: it goes on when the operator is started again');
    expect(kept.err).toBe('');
    expect(resumed.out).toBe('db/backup.sh nightly resumed, next 2026-01-06T03:00:00.000Z\n');
  });

  it('an unknown name is wrong usage, with the one that was meant', async () => {
    const command = run(async (io) => triggerSchedule({ ...target, hook: 'backup.sh' }, false, io));

    await expect(command).rejects.toThrow(UsageError);
    await expect(command).rejects.toThrow('did you mean db/backup.sh?');
    await expect(run(async (io) => triggerSchedule({ ...target, binding: '' }, false, io))).rejects.toThrow(UsageError);
    await expect(run(async (io) => listSchedules('xml', io))).rejects.toThrow(UsageError);
  });

  it('a replica that stands by refuses changes with exit code 1', async () => {
    refusal = 'this replica stands by, pod-1 leads';

    const { code, err } = await run(async (io) => triggerSchedule(target, false, io));

    expect({ code, err }).toEqual({ code: 1, err: 'hooklet: this replica stands by, pod-1 leads\n' });
  });

  it('without an operator it says where it looked, and how to ask one', async () => {
    const socket = join(folder.path, 'nobody.socket');

    const { code, err } = await run(async (io) => listSchedules(undefined, io), { socket });

    expect(code).toBe(1);
    expect(err).toContain(`no operator to ask at ${socket}: there is no such file.`);
    expect(err).toContain('kubectl exec deployment/hooklet -- hooklet status');
    expect(err).toContain('--debug-unix-socket');
  });
});
