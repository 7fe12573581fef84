import type { ScheduleBinding } from '../../src/hook/binding.ts';
import type { ScheduleObserver } from '../../src/sources/schedule/binding-runs.ts';
import type { ScheduleRecord } from '../../src/sources/schedule/record.ts';
import { ScheduledRuns } from '../../src/sources/schedule/scheduled-runs.ts';
import type { UnitOptions } from '../../src/units/hook-unit.ts';
import { MemoryRecords } from '../../src/state/records.ts';
import { BindingSchedule } from '../../src/sources/schedule/binding-schedule.ts';
import { targetsOf } from '../../src/sources/schedule/targets.ts';
import { aborted } from '../../src/lib/aborted.ts';
import { noReconciler } from './no-reconciler.ts';
import { recordingLogger } from './recording-logger.ts';

/** Ignores what it is notified of schedules. */
export const deafObserver: ScheduleObserver = {
  onRecord: () => {},
  onMissed: () => {},
  onSkipped: () => {},
  onFailed: () => {},
};

/** What a unit needs of schedules and reconcile bindings where a test is about something else. */
export const withoutSchedules: Pick<UnitOptions, 'createSchedules' | 'createReconciler'> = {
  createReconciler: noReconciler,
  createSchedules: (bindings) => ({ schedules: idleSchedules('hook.sh', bindings), run: aborted }),
};

/** Schedules that nobody follows. */
export function idleSchedules(hook: string, bindings: readonly ScheduleBinding[]): readonly BindingSchedule[] {
  const options = { records: new MemoryRecords<ScheduleRecord>(), me: 'test', now: Date.now, observer: deafObserver };
  const scheduled = new ScheduledRuns();
  return targetsOf(hook, bindings).map((target) => {
    const runs = scheduled.open(target, options);
    return new BindingSchedule(target, { ...options, runs, emit: () => {}, replace: () => {}, log: recordingLogger() });
  });
}
