import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ScheduleTrigger } from '../../../src/hook/trigger.ts';
import { HookSchedules } from '../../../src/sources/schedule/hook-schedules.ts';
import type { ScheduleRecord } from '../../../src/sources/schedule/record.ts';
import { ScheduledRuns } from '../../../src/sources/schedule/scheduled-runs.ts';
import { MemoryRecords } from '../../../src/state/records.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { deafObserver } from '../../support/idle-schedule.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date('2026-05-01T10:00:30Z'));
});

afterEach(() => {
  vi.useRealTimers();
});

/** The schedules of a hook in one operator, loaded anew with each `load`. */
function reloadRig() {
  const scheduledRuns = new ScheduledRuns();
  const records = new MemoryRecords<ScheduleRecord>();
  const load = async () => {
    const triggers: ScheduleTrigger[] = [];
    const controller = new AbortController();
    const binding = scheduleBinding('daily', { crontab: 'TZ=UTC 1 10 * * *', missed: { type: 'latest' } });
    const schedules = new HookSchedules({
      hook: 'hook.sh',
      bindings: [binding],
      recordsOf: () => records,
      scheduledRuns,
      me: 'host_1',
      now: Date.now,
      emit: (trigger) => void triggers.push(trigger),
      replace: () => {},
      observer: deafObserver,
      log: recordingLogger(),
    });
    const ended = schedules.run(controller.signal);
    await vi.advanceTimersByTimeAsync(0);
    return {
      triggers,
      stop: async () => {
        controller.abort();
        await ended;
      },
    };
  };
  return { scheduledRuns, load };
}

it('a run that fails after its hook was changed is repeated by the hook as it is now, with the same runId', async () => {
  const { scheduledRuns, load } = reloadRig();
  const before = await load();
  await vi.advanceTimersByTimeAsync(30_000);
  scheduledRuns.begin(before.triggers);
  await before.stop();
  const after = await load();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(after.triggers).toEqual([]);

  scheduledRuns.retry(before.triggers);
  await vi.advanceTimersByTimeAsync(0);

  expect(after.triggers.map(({ run }) => run.runId)).toEqual(before.triggers.map(({ run }) => run.runId));
  expect(after.triggers).toMatchObject([{ run: { attemptsBefore: 1 } }]);
  scheduledRuns.begin(after.triggers);
  scheduledRuns.retry(after.triggers);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(after.triggers).toHaveLength(1);
  await after.stop();
});

it('a run that fails when its hook is gone is left to the next operator', async () => {
  const { scheduledRuns, load } = reloadRig();
  const { triggers, stop } = await load();
  await vi.advanceTimersByTimeAsync(30_000);
  scheduledRuns.begin(triggers);
  await stop();

  scheduledRuns.retry(triggers);
  await vi.advanceTimersByTimeAsync(60_000);

  expect(triggers).toHaveLength(1);
});
