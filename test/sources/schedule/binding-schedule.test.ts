import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScheduleBinding } from '../../../src/hook/binding.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { startSchedules, type ScheduleRig } from '../../support/schedule-rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let rigs: ScheduleRig[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date('2026-05-01T10:00:30Z'));
});

afterEach(async () => {
  for (const rig of rigs) await rig.end();
  rigs = [];
  vi.useRealTimers();
});

async function start(bindings: readonly ScheduleBinding[], store?: MemoryStore): Promise<ScheduleRig> {
  const rig = startSchedules(bindings, store === undefined ? {} : { store: store.view() });
  rigs.push(rig);
  await vi.advanceTimersByTimeAsync(0);
  return rig;
}

const minutely = scheduleBinding('minutely', { crontab: 'TZ=UTC * * * * *' });
const kept = scheduleBinding('kept', { crontab: 'TZ=UTC * * * * *', missed: { type: 'latest' } });

/** The only schedule and the only trigger of a rig. */
function only({ schedules, triggers }: ScheduleRig) {
  const [schedule] = schedules.schedules;
  const [trigger] = triggers;
  if (schedule === undefined || trigger === undefined) throw new Error('there is none');
  return { schedule, trigger };
}

describe('a schedule by hand', () => {
  it('runs at once, whatever its crontab says, and its ticks come as before', async () => {
    const rig = await start([minutely]);
    const [schedule] = rig.schedules.schedules;

    const runId = await schedule?.trigger();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(rig.runs()).toEqual(['manual 2026-05-01T10:00:30', 'tick 2026-05-01T10:01:00']);
    expect(rig.triggers[0]?.run.runId).toBe(runId);
    expect(runId).toMatch(/^minutely-[0-9a-f]{8}-20260501t100030z-manual-[0-9a-f]{6}$/);
  });

  it('is another run each time', async () => {
    const rig = await start([minutely]);
    const [schedule] = rig.schedules.schedules;

    const ids = [await schedule?.trigger(), await schedule?.trigger()];

    expect(new Set(ids).size).toBe(2);
    expect(rig.triggers.map(({ run }) => run.runId)).toEqual(ids);
  });

  it('takes the place of an earlier run with replace', async () => {
    const rig = await start([{ ...minutely, concurrency: 'replace' }]);
    const [schedule] = rig.schedules.schedules;

    await schedule?.trigger();
    await schedule?.trigger();

    expect(rig.told).toEqual(['replace 1']);
  });

  it('is run once when only the answer to its write was lost', async () => {
    const store = new MemoryStore();
    const rig = await start([{ ...kept, concurrency: 'replace' }], store);
    store.losesAnswer = true;
    const asked = rig.schedules.schedules[0]?.trigger();
    await vi.advanceTimersByTimeAsync(2000);

    expect(rig.triggers.map(({ run }) => run.runId)).toEqual([await asked]);
    expect(store.values()).toMatchObject([{ open: [{ runId: await asked }] }]);
    expect(rig.told).toEqual([]);
  });

  it('can be told from its status', async () => {
    const rig = await start([minutely]);
    const [schedule] = rig.schedules.schedules;
    const runId = await schedule?.trigger();

    expect(schedule?.status()).toMatchObject({ runId, outcome: 'waiting' });
    rig.scheduled.begin(rig.triggers);
    expect(schedule?.status()).toMatchObject({ runId, outcome: 'running' });
    rig.scheduled.end(rig.triggers, 'failed');
    expect(schedule?.status()).toMatchObject({ runId, outcome: 'failed' });
  });

  it('waits until its state is read, and runs then', async () => {
    const store = new MemoryStore();
    store.trouble = new Error('connection refused');
    const rig = await start([kept], store);
    const asked = rig.schedules.schedules[0]?.trigger();
    await vi.advanceTimersByTimeAsync(500);
    expect(rig.triggers).toEqual([]);

    store.trouble = undefined;
    await vi.advanceTimersByTimeAsync(1000);

    expect(rig.triggers.map(({ run }) => run.runId)).toEqual([await asked]);
  });

  it('is refused when it is not followed in time', async () => {
    const limit = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
    const store = new MemoryStore();
    store.trouble = new Error('connection refused');
    const rig = await start([kept], store);
    const refused = rig.schedules.schedules[0]?.trigger();
    limit.abort();

    await expect(refused).rejects.toMatchObject({
      code: 'ERR_KUBE',
      message: expect.stringMatching(/^schedule kept of hook hook.sh is not followed within 10 s: its hook waits for/),
    });
    store.trouble = undefined;
    await vi.advanceTimersByTimeAsync(2000);
    expect(rig.triggers).toEqual([]);
  });

  it('says so when it cannot be written down in time', async () => {
    const limit = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
    const store = new MemoryStore();
    const rig = await start([kept], store);
    store.trouble = new Error('connection refused');
    const refused = rig.schedules.schedules[0]?.trigger();
    const told = expect(refused).rejects.toThrow('its state could not be written within 10 s');

    await vi.advanceTimersByTimeAsync(1000);
    limit.abort();

    await told;
    store.trouble = undefined;
    await vi.advanceTimersByTimeAsync(2000);
    expect(rig.triggers).toEqual([]);
  });
});

describe('a suspended schedule', () => {
  it('has no ticks until it is resumed, and misses none', async () => {
    const rig = await start([minutely]);
    const [schedule] = rig.schedules.schedules;

    await schedule?.suspend();
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(schedule?.status()).toMatchObject({ isSuspended: true, missed: 0 });
    expect(schedule?.status()).not.toHaveProperty('nextAtMs');
    await schedule?.resume();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(rig.ticks).toEqual(['minutely 2026-05-01T12:01:00']);
    expect(rig.told).toEqual([]);
  });

  it('comes on time after it was resumed', async () => {
    const rig = await start([scheduleBinding('s', { crontab: 'TZ=UTC */10 * * * * *' })]);
    const [schedule] = rig.schedules.schedules;
    await schedule?.suspend();
    await vi.advanceTimersByTimeAsync(5000);

    await schedule?.resume();
    await vi.advanceTimersByTimeAsync(5000);

    expect(rig.ticks).toEqual(['s 2026-05-01T10:00:40']);
  });

  it('stays so over a restart where it is kept, and its time is not made up for', async () => {
    const store = new MemoryStore();
    const before = await start([kept], store);
    await before.schedules.schedules[0]?.suspend();
    await before.end();
    await vi.advanceTimersByTimeAsync(HOUR_MS);

    const after = await start([kept], store);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(after.schedules.schedules[0]?.status()).toMatchObject({ isSuspended: true, isKept: true });
    await after.schedules.schedules[0]?.resume();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(after.runs()).toEqual(['tick 2026-05-01T12:01:00']);
  });

  it('can be run by hand', async () => {
    const rig = await start([minutely]);
    await rig.schedules.schedules[0]?.suspend();

    await rig.schedules.schedules[0]?.trigger();

    expect(rig.runs()).toEqual(['manual 2026-05-01T10:00:30']);
  });

  it('may be suspended or resumed again, which changes nothing', async () => {
    const rig = await start([minutely]);
    const [schedule] = rig.schedules.schedules;
    await schedule?.resume();
    await schedule?.suspend();
    await schedule?.suspend();

    expect(schedule?.status().isSuspended).toBe(true);
  });
});

describe('attempts at a run', () => {
  it('are counted for each tick, whatever task they come in', async () => {
    const rig = await start([minutely]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    const { trigger } = only(rig);
    rig.scheduled.begin([trigger]);
    rig.scheduled.retry([trigger]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    rig.scheduled.begin(rig.triggers);

    expect(rig.triggers.map((one) => rig.scheduled.facts(one))).toEqual([{ attempt: 2 }, { attempt: 1 }]);
    expect(rig.told).toEqual(['minutely failed']);
  });

  it('know the last success as it is when they begin', async () => {
    const rig = await start([minutely]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    rig.run(only(rig).trigger);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    rig.scheduled.begin(rig.triggers.slice(1));

    const [, second] = rig.triggers;
    expect(second && rig.scheduled.facts(second)).toEqual({
      attempt: 1,
      lastSuccessMs: Date.parse('2026-05-01T10:01:30Z'),
    });
  });
});

describe('a run that is longer than the time between two ticks', () => {
  async function overrun(concurrency: ScheduleBinding['concurrency']) {
    const rig = await start([{ ...minutely, concurrency }]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    rig.scheduled.begin([only(rig).trigger]);
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
    return rig;
  }

  it('has the ticks queued with queue', async () => {
    const { ticks, told } = await overrun('queue');

    expect(ticks).toHaveLength(4);
    expect(told).toEqual([]);
  });

  it('has them skipped with skip, until it has ended', async () => {
    const rig = await overrun('skip');
    rig.scheduled.end([only(rig).trigger], 'succeeded');
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(rig.ticks).toEqual(['minutely 2026-05-01T10:01:00', 'minutely 2026-05-01T10:05:00']);
    expect(rig.told).toEqual(['minutely skipped 1', 'minutely skipped 1', 'minutely skipped 1']);
    expect(rig.log.lines).toContainEqual({
      level: 'info',
      message: 'schedule is skipped, an earlier run has not ended',
      fields: { binding: 'minutely', skipped: 1 },
    });
  });

  it('has them skipped while it is yet to be repeated', async () => {
    const rig = await overrun('skip');
    rig.scheduled.retry([only(rig).trigger]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(rig.ticks).toHaveLength(1);
  });

  it('is ended with replace', async () => {
    const rig = await overrun('replace');

    expect(rig.ticks).toHaveLength(4);
    expect(rig.told).toEqual(['replace 1', 'replace 2', 'replace 3']);
  });
});

describe('a group', () => {
  it('is over for all its ticks when the last of them is', async () => {
    const rig = await start([{ ...minutely, group: 'g' }]);
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
    const last = rig.triggers.slice(-1);

    rig.scheduled.begin(last);
    rig.scheduled.end(last, 'succeeded');

    expect(rig.schedules.schedules[0]?.status()).toMatchObject({ outcome: 'succeeded' });
    expect(rig.schedules.schedules[0]?.status().runId).toBe(last[0]?.run.runId);
  });
});

describe('bindings of one name', () => {
  it('are told apart, each with a state of its own', async () => {
    const store = new MemoryStore();
    const twin = { ...kept, crontab: scheduleBinding('x', { crontab: 'TZ=UTC 5 * * * *' }).crontab };
    const rig = await start([kept, twin], store);
    await rig.schedules.schedules[1]?.suspend();

    expect(rig.schedules.schedules.map((schedule) => schedule.status())).toMatchObject([
      { binding: 'kept', isSuspended: false },
      { binding: 'kept#2', isSuspended: true },
    ]);
    expect(store.values()).toHaveLength(2);
  });
});

describe('the status of a schedule', () => {
  it('has what is known of it', async () => {
    const rig = await start([minutely]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    const { schedule, trigger } = only(rig);
    rig.run(trigger);

    expect(schedule.status()).toEqual({
      hook: 'hook.sh',
      binding: 'minutely',
      crontab: 'TZ=UTC * * * * *',
      timeZone: 'UTC',
      nextAtMs: Date.parse('2026-05-01T10:02:00Z'),
      lastScheduledAtMs: Date.parse('2026-05-01T10:01:00Z'),
      lastStartedAtMs: Date.parse('2026-05-01T10:01:30Z'),
      lastSucceededAtMs: Date.parse('2026-05-01T10:01:30Z'),
      outcome: 'succeeded',
      runId: trigger.run.runId,
      isSuspended: false,
      missed: 0,
      isKept: false,
    });
  });

  it('is short before the hook had its turn', async () => {
    const rig = startSchedules([minutely]);

    expect(rig.schedules.schedules[0]?.status()).toEqual({
      hook: 'hook.sh',
      binding: 'minutely',
      crontab: 'TZ=UTC * * * * *',
      timeZone: 'UTC',
      isSuspended: false,
      missed: 0,
      isKept: false,
    });
    await rig.end();
  });
});
