import { UsageError } from '../../src/errors.ts';
import type { ScheduleControl, ScheduleStatus } from '../../src/hook/schedule-control.ts';

/** Schedules without an operator; requests are recorded. */
export interface FakeSchedules extends ScheduleControl {
  readonly asked: string[];
  /** What `list` returns. */
  statuses: ScheduleStatus[];
}

/** A schedule that has never run. */
export function scheduleStatus(changes: Partial<ScheduleStatus> = {}): ScheduleStatus {
  return {
    hook: 'db/backup.sh',
    binding: 'nightly',
    crontab: '0 3 * * *',
    isSuspended: false,
    missed: 0,
    isKept: false,
    ...changes,
  };
}

export function fakeSchedules(...statuses: ScheduleStatus[]): FakeSchedules {
  const change = (hook: string, binding: string, changes: Partial<ScheduleStatus>): void => {
    const index = fake.statuses.findIndex((status) => status.hook === hook && status.binding === binding);
    const found = fake.statuses[index];
    if (found === undefined) throw new UsageError(`no hook ${JSON.stringify(hook)}; did you mean db/backup.sh?`);
    fake.statuses[index] = { ...found, ...changes };
  };
  const fake: FakeSchedules = {
    asked: [],
    statuses,
    list: () => fake.statuses,
    async trigger(hook, binding) {
      fake.asked.push(`trigger ${hook} ${binding}`);
      const runId = `run-${fake.asked.length}`;
      change(hook, binding, { runId, outcome: 'waiting' });
      return runId;
    },
    async suspend(hook, binding) {
      fake.asked.push(`suspend ${hook} ${binding}`);
      change(hook, binding, { isSuspended: true });
    },
    async resume(hook, binding) {
      fake.asked.push(`resume ${hook} ${binding}`);
      change(hook, binding, { isSuspended: false });
    },
  };
  return fake;
}
