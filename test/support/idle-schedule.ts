import type { BindingScheduleOptions, ScheduleObserver } from '../../src/sources/schedule/binding-schedule.ts';
import type { UnitOptions } from '../../src/operator/hook-unit.ts';
import { MemoryRecords } from '../../src/state/records.ts';
import { BindingSchedule } from '../../src/sources/schedule/binding-schedule.ts';
import { targetsOf } from '../../src/sources/schedule/targets.ts';
import { aborted } from '../../src/lib/aborted.ts';
import { recordingLogger } from './recording-logger.ts';

/** Hears of schedules and keeps it to itself. */
export const deafObserver: ScheduleObserver = {
  onRecord: () => {},
  onMissed: () => {},
  onSkipped: () => {},
  onFailed: () => {},
};

/** For a schedule that nobody follows. */
export const idleSchedule: BindingScheduleOptions = {
  records: new MemoryRecords(),
  me: 'test',
  now: Date.now,
  emit: () => {},
  replace: () => {},
  observer: deafObserver,
  log: recordingLogger(),
};

/** What a unit needs of schedules where a test is about something else. */
export const withoutSchedules: Pick<UnitOptions, 'createSchedules' | 'endRuns'> = {
  createSchedules: (bindings) => ({
    schedules: targetsOf('hook.sh', bindings).map((target) => new BindingSchedule(target, idleSchedule)),
    run: aborted,
    begin: () => {},
    retry: () => {},
    end: () => {},
    facts: () => undefined,
  }),
  endRuns: () => {},
};
