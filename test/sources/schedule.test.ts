import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScheduleBinding } from '../../src/hook/binding.ts';
import { runSchedule } from '../../src/sources/schedule.ts';
import { scheduleBinding } from '../support/bindings.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let controller: AbortController;
let log: ReturnType<typeof recordingLogger>;

beforeEach(() => {
  vi.useFakeTimers();
  controller = new AbortController();
  log = recordingLogger();
});

afterEach(() => {
  controller.abort();
  vi.useRealTimers();
});

/** Starts schedules at an instant; `ticks` are `name time` of each trigger as it comes. */
function start(at: string, ...bindings: readonly ScheduleBinding[]) {
  vi.setSystemTime(new Date(at));
  const ticks: string[] = [];
  const ended = runSchedule(
    bindings,
    {
      hook: 'hook.sh',
      now: Date.now,
      emit: ({ binding }) => ticks.push(`${binding.name} ${new Date().toISOString().slice(0, 19)}`),
      log,
    },
    controller.signal,
  );
  return { ticks, ended };
}

describe('runSchedule', () => {
  it('emits a trigger at each time of each binding', async () => {
    const { ticks } = start(
      '2026-05-01T10:00:00Z',
      scheduleBinding('a', { crontab: 'TZ=UTC */2 * * * *' }),
      scheduleBinding('b', { crontab: 'TZ=UTC 3 * * * *' }),
    );

    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);

    expect(ticks).toEqual(['a 2026-05-01T10:02:00', 'b 2026-05-01T10:03:00', 'a 2026-05-01T10:04:00']);
  });

  it('emits bindings that are due together in the order of the config', async () => {
    const { ticks } = start('2026-05-01T10:00:30Z', scheduleBinding('z'), scheduleBinding('a'));

    await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);

    expect(ticks).toEqual(['z 2026-05-01T10:01:00', 'a 2026-05-01T10:01:00']);
  });

  it('hands the binding over as it is', async () => {
    const binding = scheduleBinding('a');
    const emit = vi.fn<Parameters<typeof runSchedule>[1]['emit']>();
    const ended = runSchedule([binding], { hook: 'hook.sh', now: Date.now, emit, log }, controller.signal);

    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    controller.abort();
    await ended;

    expect(emit).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: 'schedule', binding }));
  });

  it('waits longer than a timer can', async () => {
    const { ticks } = start('2026-05-01T00:00:00Z', scheduleBinding('yearly', { crontab: 'TZ=UTC 0 0 1 7 *' }));

    await vi.advanceTimersByTimeAsync(61 * 24 * HOUR_MS);

    expect(ticks).toEqual(['yearly 2026-07-01T00:00:00']);
  });

  it('counts @every from its start', async () => {
    const { ticks } = start('2026-05-01T10:00:07Z', scheduleBinding('e', { crontab: '@every 90s' }));

    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);

    expect(ticks).toEqual(['e 2026-05-01T10:01:37', 'e 2026-05-01T10:03:07']);
  });

  it.each([
    ['forward', '2026-03-28T12:00:00Z', 'daily 2026-03-29T01:00:00'],
    ['back', '2026-10-24T12:00:00Z', 'daily 2026-10-25T00:30:00'],
  ])('runs a daily schedule once in the night in which clocks go %s', async (_direction, at, tick) => {
    const { ticks } = start(at, scheduleBinding('daily', { crontab: 'TZ=Europe/Berlin 30 2 * * *' }));

    await vi.advanceTimersByTimeAsync(30 * HOUR_MS);

    expect(ticks).toEqual([tick]);
  });

  it('runs what came due during a stall once, late', async () => {
    const { ticks } = start('2026-05-01T10:00:30Z', scheduleBinding('minutely', { crontab: 'TZ=UTC * * * * *' }));

    // The clock runs on while no timer can fire.
    vi.setSystemTime(new Date('2026-05-01T10:05:10Z'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(ticks).toEqual(['minutely 2026-05-01T10:05:40', 'minutely 2026-05-01T10:06:00']);
    expect(log.lines).toMatchObject([
      { level: 'warn', message: 'schedule runs late', fields: { binding: 'minutely', lateMs: 280_000 } },
    ]);
  });

  it('notices within a minute that the clock was moved forward', async () => {
    const { ticks } = start('2026-05-01T10:00:30Z', scheduleBinding('hourly', { crontab: 'TZ=UTC 0 * * * *' }));

    vi.setSystemTime(new Date('2026-05-02T10:30:00Z'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await vi.advanceTimersByTimeAsync(30 * MINUTE_MS);

    expect(ticks).toEqual(['hourly 2026-05-02T10:31:00', 'hourly 2026-05-02T11:00:00']);
  });

  it('starts anew when the clock goes back', async () => {
    const { ticks } = start('2026-06-01T10:00:30Z', scheduleBinding('hourly', { crontab: 'TZ=UTC 0 * * * *' }));

    vi.setSystemTime(new Date('2026-05-01T10:58:00Z'));
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);

    expect(ticks).toEqual(['hourly 2026-05-01T11:00:00']);
    expect(log.lines).toMatchObject([{ level: 'warn', message: 'clock went back, schedules start anew' }]);
  });

  it('does not repeat a tick when the clock goes back a little', async () => {
    const { ticks } = start('2026-05-01T10:59:30Z', scheduleBinding('hourly', { crontab: 'TZ=UTC 0 * * * *' }));

    await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
    vi.setSystemTime(new Date('2026-05-01T10:59:50Z'));
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);

    expect(ticks).toEqual(['hourly 2026-05-01T11:00:00']);
    expect(log.lines).toEqual([]);
  });

  it('ends when it is told to, leaving no timer', async () => {
    const { ended } = start('2026-05-01T10:00:00Z', scheduleBinding('a'));

    controller.abort();
    await ended;

    expect(vi.getTimerCount()).toBe(0);
  });
});
