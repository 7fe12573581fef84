import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScheduleBinding } from '../../../src/hook/binding.ts';
import { jitterOf } from '../../../src/hook/jitter.ts';
import { runIdOf } from '../../../src/hook/run-id.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { startSchedules, type ScheduleRig } from '../../support/schedule-rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let rigs: ScheduleRig[] = [];

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(async () => {
  for (const rig of rigs) await rig.end();
  rigs = [];
  vi.useRealTimers();
});

/** Starts schedules at the time `at`. */
async function start(at: string, ...bindings: readonly ScheduleBinding[]): Promise<ScheduleRig> {
  vi.setSystemTime(new Date(at));
  const rig = startSchedules(bindings);
  rigs.push(rig);
  await vi.advanceTimersByTimeAsync(0);
  return rig;
}

describe('the schedules of a hook', () => {
  it('emits a trigger at each time of each binding', async () => {
    const { ticks } = await start(
      '2026-05-01T10:00:00Z',
      scheduleBinding('a', { crontab: 'TZ=UTC */2 * * * *' }),
      scheduleBinding('b', { crontab: 'TZ=UTC 3 * * * *' }),
    );

    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);

    expect(ticks).toEqual(['a 2026-05-01T10:02:00', 'b 2026-05-01T10:03:00', 'a 2026-05-01T10:04:00']);
  });

  it('emits bindings that are due together in the order of the config', async () => {
    const { ticks } = await start('2026-05-01T10:00:30Z', scheduleBinding('z'), scheduleBinding('a'));

    await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);

    expect(ticks).toEqual(['z 2026-05-01T10:01:00', 'a 2026-05-01T10:01:00']);
  });

  it('says which tick of which binding it is', async () => {
    const binding = scheduleBinding('nightly', { crontab: 'TZ=UTC 0 2 * * *' });
    const { triggers } = await start('2026-05-01T01:59:30Z', binding);

    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(triggers).toEqual([
      {
        type: 'schedule',
        binding,
        run: {
          runId: runIdOf('hook.sh', 'nightly', Date.parse('2026-05-01T02:00:00Z')),
          scheduledAtMs: Date.parse('2026-05-01T02:00:00Z'),
          reason: 'tick',
          attemptsBefore: 0,
        },
      },
    ]);
  });

  it('waits longer than a timer can', async () => {
    const { ticks } = await start('2026-06-05T00:00:00Z', scheduleBinding('yearly', { crontab: 'TZ=UTC 0 0 1 7 *' }));

    await vi.advanceTimersByTimeAsync(26 * 24 * HOUR_MS);

    expect(ticks).toEqual(['yearly 2026-07-01T00:00:00']);
  });

  it('counts @every from its start', async () => {
    const { ticks } = await start('2026-05-01T10:00:07Z', scheduleBinding('e', { crontab: '@every 90s' }));

    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);

    expect(ticks).toEqual(['e 2026-05-01T10:01:37', 'e 2026-05-01T10:03:07']);
  });

  it.each([
    ['forward', '2026-03-28T12:00:00Z', 'daily 2026-03-29T01:00:00'],
    ['back', '2026-10-24T12:00:00Z', 'daily 2026-10-25T00:30:00'],
  ])('runs a daily schedule once in the night in which clocks go %s', async (_direction, at, tick) => {
    const { ticks } = await start(at, scheduleBinding('daily', { crontab: 'TZ=Europe/Berlin 30 2 * * *' }));

    await vi.advanceTimersByTimeAsync(30 * HOUR_MS);

    expect(ticks).toEqual([tick]);
  });

  it('runs what came due during a stall once, and counts the rest as missed', async () => {
    const { ticks, log } = await start(
      '2026-05-01T10:00:30Z',
      scheduleBinding('minutely', { crontab: 'TZ=UTC * * * * *' }),
    );

    // Time passes while no timer can fire.
    vi.setSystemTime(new Date('2026-05-01T10:05:10Z'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(ticks).toEqual(['minutely 2026-05-01T10:05:40', 'minutely 2026-05-01T10:06:00']);
    expect(log.lines).toMatchObject([
      { level: 'warn', message: 'schedule missed ticks', fields: { binding: 'minutely', missed: 4 } },
    ]);
  });

  it('notices within a minute that the clock was moved forward', async () => {
    const { ticks } = await start('2026-05-01T10:00:30Z', scheduleBinding('hourly', { crontab: 'TZ=UTC 0 * * * *' }));

    vi.setSystemTime(new Date('2026-05-02T10:30:00Z'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await vi.advanceTimersByTimeAsync(30 * MINUTE_MS);

    expect(ticks).toEqual(['hourly 2026-05-02T10:31:00', 'hourly 2026-05-02T11:00:00']);
  });

  it('starts anew when the clock goes back', async () => {
    const { ticks, log } = await start(
      '2026-06-01T10:00:30Z',
      scheduleBinding('hourly', { crontab: 'TZ=UTC 0 * * * *' }),
    );

    vi.setSystemTime(new Date('2026-05-01T10:58:00Z'));
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);

    expect(ticks).toEqual(['hourly 2026-05-01T11:00:00']);
    expect(log.lines).toMatchObject([{ level: 'warn', message: 'clock was set back, the schedule starts anew' }]);
  });

  it('does not repeat a tick when the clock goes back a little', async () => {
    const { ticks, log } = await start(
      '2026-05-01T10:59:30Z',
      scheduleBinding('hourly', { crontab: 'TZ=UTC 0 * * * *' }),
    );

    await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
    vi.setSystemTime(new Date('2026-05-01T10:59:50Z'));
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);

    expect(ticks).toEqual(['hourly 2026-05-01T11:00:00']);
    expect(log.lines).toEqual([]);
  });

  it.each([
    [
      'Lord Howe goes half an hour forward',
      '2026-10-03T12:00:00Z',
      '15 2 * * *',
      ['2026-10-03T15:30:00', '2026-10-04T15:15:00'],
    ],
    [
      'Lord Howe goes half an hour back',
      '2026-04-03T12:00:00Z',
      '45 1 * * *',
      ['2026-04-03T14:45:00', '2026-04-04T14:45:00', '2026-04-05T15:15:00'],
    ],
  ])('follows a clock of half hours: %s', async (_law, at, crontab, ticks) => {
    const rig = await start(at, scheduleBinding('s', { crontab: `TZ=Australia/Lord_Howe ${crontab}` }));

    await vi.advanceTimersByTimeAsync(ticks.length * 24 * HOUR_MS + 3 * HOUR_MS);

    expect(rig.runs().slice(0, ticks.length)).toEqual(ticks.map((tick) => `tick ${tick}`));
  });

  it.each([
    ['the end of the year', '2026-12-31T23:58:30Z', 'TZ=UTC * * * * *', ['2026-12-31T23:59:00', '2027-01-01T00:00:00']],
    ['29 February', '2028-02-28T23:59:30Z', 'TZ=UTC 0 0 29 2 *', ['2028-02-29T00:00:00']],
    ['the day after 28 February', '2026-02-28T23:59:30Z', 'TZ=UTC 0 0 * * *', ['2026-03-01T00:00:00']],
  ])('comes at %s', async (_time, at, crontab, ticks) => {
    const rig = await start(at, scheduleBinding('s', { crontab }));

    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS - 30_000);

    expect(rig.runs()).toEqual(ticks.map((tick) => `tick ${tick}`));
  });

  it('puts ticks off by its jitter, each by the same', async () => {
    const jittery = scheduleBinding('s', { crontab: 'TZ=UTC 0 * * * *', jitterMs: 30 * MINUTE_MS });
    const rig = await start('2026-05-01T10:30:00Z', jittery);

    await vi.advanceTimersByTimeAsync(3 * HOUR_MS);

    const lateMs = jitterOf('hook.sh', jittery);
    expect(lateMs).toBeGreaterThan(MINUTE_MS);
    expect(rig.runs()).toEqual(['tick 2026-05-01T11:00:00', 'tick 2026-05-01T12:00:00', 'tick 2026-05-01T13:00:00']);
    expect(rig.ticks.map((tick) => tick.slice(-5))).toEqual(
      Array.from({ length: 3 }, () => new Date(lateMs).toISOString().slice(14, 19)),
    );
  });

  it('ends when it is told to, leaving no timer', async () => {
    const { end } = await start('2026-05-01T10:00:00Z', scheduleBinding('a'));

    await end();

    expect(vi.getTimerCount()).toBe(0);
  });
});
