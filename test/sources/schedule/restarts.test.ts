import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScheduleBinding } from '../../../src/hook/binding.ts';
import { parseCrontab } from '../../../src/crontab/crontab.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { startSchedules, type ScheduleRig } from '../../support/schedule-rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let rigs: ScheduleRig[] = [];

beforeEach(() => void vi.useFakeTimers());

afterEach(async () => {
  for (const rig of rigs) await rig.end();
  rigs = [];
  vi.useRealTimers();
});

async function start(store: MemoryStore, ...bindings: readonly ScheduleBinding[]): Promise<ScheduleRig> {
  const rig = startSchedules(bindings, { store: store.view() });
  rigs.push(rig);
  await vi.advanceTimersByTimeAsync(0);
  return rig;
}

function at(time: string): void {
  vi.setSystemTime(new Date(`2026-05-${time}Z`));
}

const nightly = scheduleBinding('nightly', { crontab: 'TZ=UTC 0 2 * * *', missed: { type: 'latest' } });
const hourlyAll = scheduleBinding('hourly', { crontab: 'TZ=UTC 0 * * * *', missed: { type: 'all', limit: 100 } });

function nightlyOf(crontab: string): ScheduleBinding {
  return { ...nightly, crontab: parseCrontab(`TZ=UTC ${crontab}`) };
}

function first<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined) throw new Error('there is none');
  return value;
}

describe('a tick missed while nobody was there', () => {
  it('is run once at the next start, late, and said so', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    const before = await start(store, nightly);
    await before.end();

    at('02T07:30:00');
    const after = await start(store, nightly);
    await vi.advanceTimersByTimeAsync(HOUR_MS);

    expect(after.runs()).toEqual(['catch-up 2026-05-02T02:00:00']);
    expect(after.log.lines).toMatchObject([
      { level: 'warn', message: 'schedule runs late', fields: { binding: 'nightly', lateMs: 19_800_000, runs: 1 } },
    ]);
  });

  it('is missed where nothing is kept', async () => {
    at('01T12:00:00');
    const before = startSchedules([nightly]);
    await vi.advanceTimersByTimeAsync(0);
    await before.end();

    at('02T07:30:00');
    const after = startSchedules([nightly]);
    await vi.advanceTimersByTimeAsync(0);
    await after.end();

    expect(after.runs()).toEqual([]);
  });

  it('does not keep the next one from coming', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    await (await start(store, nightly)).end();

    at('04T01:00:00');
    const after = await start(store, nightly);
    after.run(first(after.triggers));
    await vi.advanceTimersByTimeAsync(HOUR_MS);

    expect(after.runs()).toEqual(['catch-up 2026-05-03T02:00:00', 'tick 2026-05-04T02:00:00']);
    expect(after.told).toEqual(['nightly missed 1']);
    expect(after.schedules.schedules[0]?.status()).toMatchObject({ missed: 1, isKept: true });
  });

  it('is run in the order of the ticks where all are wanted', async () => {
    const store = new MemoryStore();
    at('01T12:30:00');
    await (await start(store, hourlyAll)).end();

    at('01T15:30:00');
    const after = await start(store, hourlyAll);

    expect(after.runs()).toEqual([
      'catch-up 2026-05-01T13:00:00',
      'catch-up 2026-05-01T14:00:00',
      'catch-up 2026-05-01T15:00:00',
    ]);
  });

  it('is made up for once, however often the operator restarts', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    await (await start(store, nightly)).end();
    at('02T07:30:00');
    const second = await start(store, nightly);
    second.run(first(second.triggers));
    await second.end();

    const third = await start(store, nightly);

    expect(third.runs()).toEqual([]);
    expect(third.schedules.schedules[0]?.status()).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('a restart exactly at the tick', () => {
  it('runs it once, whether before or after it', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    const before = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    before.run(first(before.triggers));
    await before.end();
    const again = await start(store, hourlyAll);
    await again.end();
    at('01T14:00:00');
    const later = await start(store, hourlyAll);

    expect([before.runs(), again.runs(), later.runs()]).toEqual([
      ['tick 2026-05-01T13:00:00'],
      [],
      ['tick 2026-05-01T14:00:00'],
    ]);
  });
});

describe('a run that its operator did not finish', () => {
  it.each(['end', 'crash'] as const)('after an %s is run again with the same id, as the next attempt', async (how) => {
    const store = new MemoryStore();
    at('01T12:00:00');
    const before = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    const trigger = first(before.triggers);
    before.scheduled.begin([trigger]);
    await vi.advanceTimersByTimeAsync(0);
    await before[how]();
    rigs = [];

    const after = await start(store, hourlyAll);
    const again = first(after.triggers);
    after.scheduled.begin([again]);

    expect(again.run).toEqual({ ...trigger.run, attemptsBefore: 1 });
    expect(after.scheduled.facts(again)).toEqual({ attempt: 2 });
    expect(after.triggers).toHaveLength(1);
  });

  it('and that never began is run as the first attempt', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    const before = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    await before.crash();
    rigs = [];

    const after = await start(store, hourlyAll);

    expect(after.triggers.map(({ run }) => run)).toEqual(before.triggers.map(({ run }) => run));
  });

  it('is kept as interrupted by a clean end', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    const before = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    before.scheduled.begin(before.triggers);
    await before.end();

    expect(store.values()).toMatchObject([
      { lastRun: { outcome: 'interrupted' }, open: [{ state: 'interrupted', attempts: 1 }] },
    ]);
  });

  it('knows the last success of the operator before it', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    const before = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    before.run(first(before.triggers));
    await before.end();

    at('01T14:00:00');
    const after = await start(store, hourlyAll);
    after.scheduled.begin(after.triggers);

    expect(after.scheduled.facts(first(after.triggers))).toEqual({
      attempt: 1,
      lastSuccessMs: Date.parse('2026-05-01T13:00:00Z'),
    });
  });
});

describe('two replicas that see one tick', () => {
  it('run it once, and the other goes on to the next', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    const replicas = [await start(store, hourlyAll), await start(store, hourlyAll)];

    await vi.advanceTimersByTimeAsync(24 * HOUR_MS);

    const runs = replicas.flatMap((replica) => replica.runs());
    expect(runs).toHaveLength(24);
    expect(new Set(runs).size).toBe(24);
    expect(replicas.flatMap(({ told }) => told)).toEqual([]);
    const lines = replicas.flatMap(({ log }) => log.lines);
    expect(lines.filter(({ message }) => message === 'another operator runs this tick')).toHaveLength(24);
    expect(lines.every(({ level }) => level === 'debug')).toBe(true);
  });
});

describe('replicas on hosts of their own', () => {
  async function startOn(host: string, store: MemoryStore, binding = hourlyAll): Promise<ScheduleRig> {
    const rig = startSchedules([binding], { store: store.view(), host });
    rigs.push(rig);
    await vi.advanceTimersByTimeAsync(0);
    return rig;
  }

  it('that start together make up for a missed tick once', async () => {
    const store = new MemoryStore();
    at('01T12:00:00');
    await (await startOn('a', store)).end();
    at('01T15:30:00');
    const replicas = [
      startSchedules([hourlyAll], { store: store.view(), host: 'a' }),
      startSchedules([hourlyAll], { store: store.view(), host: 'b' }),
    ];
    rigs.push(...replicas);
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);

    const ids = replicas.flatMap(({ triggers }) => triggers.map(({ run }) => run.runId));
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
  });

  it('leave a run alone whose replica is there, however long it takes', async () => {
    const store = new MemoryStore();
    at('01T12:59:00');
    const busy = await startOn('a', store, nightlyOf('0 13 * * *'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    busy.scheduled.begin(busy.triggers);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    const other = await startOn('b', store, nightlyOf('0 13 * * *'));
    await vi.advanceTimersByTimeAsync(5 * HOUR_MS);

    expect(busy.triggers).toHaveLength(1);
    expect(other.triggers).toEqual([]);
  });

  it('take over the run of a replica that is gone when it was silent for a while', async () => {
    const store = new MemoryStore();
    at('01T12:59:00');
    const gone = await startOn('a', store, nightlyOf('0 13 * * *'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    gone.scheduled.begin(gone.triggers);
    await vi.advanceTimersByTimeAsync(0);
    await gone.crash();
    rigs = [];

    const other = await startOn('b', store, nightlyOf('0 13 * * *'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(other.triggers).toEqual([]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(other.triggers.map(({ run }) => run)).toEqual([{ ...first(gone.triggers).run, attemptsBefore: 1 }]);
  });

  it('do not take over a run after a newer tick, where the latest is enough', async () => {
    const store = new MemoryStore();
    at('01T12:59:00');
    const gone = await startOn('a', store, nightlyOf('* * * * *'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    gone.scheduled.begin(gone.triggers);
    await vi.advanceTimersByTimeAsync(0);
    await gone.crash();
    rigs = [];

    const other = await startOn('b', store, nightlyOf('* * * * *'));
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);

    expect(other.runs()).toEqual(['tick 2026-05-01T13:01:00', 'tick 2026-05-01T13:02:00', 'tick 2026-05-01T13:03:00']);
    expect(other.told).toEqual(['nightly missed 1']);
  });
});

describe('a tick that cannot be written down', () => {
  it('waits until it can, and runs then, late', async () => {
    const store = new MemoryStore();
    at('02T01:00:00');
    const rig = await start(store, nightly);
    store.trouble = new Error('connection refused');

    await vi.advanceTimersByTimeAsync(3 * HOUR_MS);
    expect(rig.runs()).toEqual([]);
    store.trouble = undefined;
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(rig.runs()).toEqual(['catch-up 2026-05-02T02:00:00']);
  });

  it('is missed when it can only be written after its deadline', async () => {
    const store = new MemoryStore();
    at('02T01:00:00');
    const rig = await start(store, { ...nightly, startingDeadlineMs: HOUR_MS });
    store.trouble = new Error('connection refused');

    await vi.advanceTimersByTimeAsync(3 * HOUR_MS);
    store.trouble = undefined;
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(rig.runs()).toEqual([]);
    expect(rig.told).toEqual(['nightly missed 1']);
  });

  it('is run once when only the answer was lost', async () => {
    const store = new MemoryStore();
    at('02T01:59:00');
    const rig = await start(store, nightly);
    store.losesAnswer = true;

    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);

    expect(rig.runs()).toEqual(['tick 2026-05-02T02:00:00']);
  });

  it('does not hold up the other schedules of its hook', async () => {
    const store = new MemoryStore();
    at('02T01:59:00');
    const rig = startSchedules([nightly, scheduleBinding('minutely', { crontab: 'TZ=UTC * * * * *' })], {
      store: store.view(),
      unkept: ['minutely'],
    });
    rigs.push(rig);
    await vi.advanceTimersByTimeAsync(0);
    store.trouble = new Error('connection refused');

    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
    store.trouble = undefined;

    expect(rig.ticks).toEqual([
      'minutely 2026-05-02T02:00:00',
      'minutely 2026-05-02T02:01:00',
      'minutely 2026-05-02T02:02:00',
    ]);
  });

  it('is run all the same where the store refuses for good', async () => {
    const store = new MemoryStore();
    store.refusal = new Error('forbidden');
    at('02T01:59:00');
    const rig = await start(store, nightly);

    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(rig.runs()).toEqual(['tick 2026-05-02T02:00:00']);
    expect(rig.schedules.schedules[0]?.status()).toMatchObject({ isKept: false });
  });
});

describe('a clock that is moved over a restart', () => {
  it('back runs no tick twice', async () => {
    const store = new MemoryStore();
    at('01T12:59:00');
    const before = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    before.run(first(before.triggers));
    await before.end();

    at('01T12:30:00');
    const after = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);

    expect(after.runs()).toEqual(['tick 2026-05-01T14:00:00']);
  });

  it('far back starts anew, with a warning', async () => {
    const store = new MemoryStore();
    at('20T12:59:00');
    const before = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    before.run(first(before.triggers));
    await before.end();

    at('01T12:30:00');
    const after = await start(store, hourlyAll);
    await vi.advanceTimersByTimeAsync(HOUR_MS);

    expect(after.runs()).toEqual(['tick 2026-05-01T13:00:00']);
    expect(after.log.lines).toMatchObject([{ level: 'warn', message: 'clock was set back, the schedule starts anew' }]);
  });

  it('forward is a downtime', async () => {
    const store = new MemoryStore();
    at('01T12:30:00');
    const rig = await start(store, nightly);

    at('05T12:30:00');
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(rig.runs()).toEqual(['catch-up 2026-05-05T02:00:00']);
    expect(rig.told).toEqual(['nightly missed 3']);
  });
});
