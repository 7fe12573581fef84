import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScheduleTrigger } from '../../../src/hook/trigger.ts';
import { HookSchedules } from '../../../src/sources/schedule/hook-schedules.ts';
import { formatRecord, parseRecord } from '../../../src/sources/schedule/record-json.ts';
import type { ScheduleRecord } from '../../../src/sources/schedule/record.ts';
import { ScheduledRuns } from '../../../src/sources/schedule/scheduled-runs.ts';
import { withFailure } from '../../../src/sources/schedule/suspension.ts';
import { MemoryRecords } from '../../../src/state/records.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { deafObserver } from '../../support/idle-schedule.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { recordWith } from '../../support/schedule-records.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date('2026-05-01T10:00:30Z'));
});

afterEach(() => {
  vi.useRealTimers();
});

/** A schedule of every minute at work, which is suspended after 3 failures. */
async function rig() {
  const scheduledRuns = new ScheduledRuns();
  const records = new MemoryRecords<ScheduleRecord>();
  const triggers: ScheduleTrigger[] = [];
  const suspended: number[] = [];
  const controller = new AbortController();
  const schedules = new HookSchedules({
    hook: 'hook.sh',
    bindings: [scheduleBinding('often', { suspendAfter: 3 })],
    recordsOf: () => records,
    scheduledRuns,
    me: 'host_1',
    now: Date.now,
    emit: (trigger) => void triggers.push(trigger),
    replace: () => {},
    observer: { ...deafObserver, onSuspended: (_target, failures) => void suspended.push(failures) },
    log: recordingLogger(),
  });
  const ended = schedules.run(controller.signal);
  const nextTick = async (): Promise<readonly ScheduleTrigger[]> => {
    await vi.advanceTimersByTimeAsync(60_000);
    const ticks = triggers.splice(0);
    scheduledRuns.begin(ticks);
    return ticks;
  };
  await vi.advanceTimersByTimeAsync(0);
  return {
    scheduledRuns,
    suspended,
    nextTick,
    schedule: () => schedules.schedules[0],
    stop: async () => {
      controller.abort();
      await ended;
    },
  };
}

describe('a schedule that keeps failing', () => {
  it('is suspended after its 3 failures in a row, over attempts and runs, and told once', async () => {
    const { scheduledRuns, suspended, nextTick, schedule, stop } = await rig();
    const first = await nextTick();
    scheduledRuns.retry(first, 'failed');
    scheduledRuns.end(first, 'failed');
    expect(schedule()?.status()).toMatchObject({ isSuspended: false, failures: 2 });

    const second = await nextTick();
    scheduledRuns.retry(second, 'failed');
    scheduledRuns.retry(second, 'failed');

    expect(suspended).toEqual([3]);
    expect(schedule()?.status()).toMatchObject({ isSuspended: true, failures: 4 });
    expect(await nextTick()).toEqual([]);
    await stop();
  });

  it('begins to count anew after a success', async () => {
    const { scheduledRuns, suspended, nextTick, schedule, stop } = await rig();
    for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) {
      scheduledRuns.end(await nextTick(), outcome);
    }

    expect(suspended).toEqual([]);
    expect(schedule()?.status()).toMatchObject({ isSuspended: false, failures: 2 });
    await stop();
  });

  it.each(['later', 'environment', 'gone'] as const)(
    'does not count a run that is tried again because of %s',
    async (why) => {
      const { scheduledRuns, nextTick, schedule, stop } = await rig();
      const ticks = await nextTick();
      for (let attempt = 0; attempt < 5; attempt += 1) scheduledRuns.retry(ticks, why);

      expect(schedule()?.status().isSuspended).toBe(false);
      expect(schedule()?.status().outcome).toBe(why === 'later' ? 'waiting' : 'failed');
      await stop();
    },
  );

  it('runs again once a person resumes it, with a count of none', async () => {
    const { scheduledRuns, nextTick, schedule, stop } = await rig();
    for (let run = 0; run < 3; run += 1) scheduledRuns.end(await nextTick(), 'failed');
    expect(await nextTick()).toEqual([]);

    await schedule()?.resume();

    expect(await nextTick()).toHaveLength(1);
    expect(schedule()?.status()).toMatchObject({ isSuspended: false });
    expect(schedule()?.status().failures).toBeUndefined();
    await stop();
  });

  it('keeps its count where its record is persisted', () => {
    const record = withFailure(withFailure(recordWith(), 5), 5);

    expect(parseRecord(formatRecord(record))).toMatchObject({ failures: 2 });
  });

  it('has no count without a limit', () => {
    expect(withFailure(recordWith(), undefined)).not.toHaveProperty('failures');
  });
});
