import type { ScheduleStatus } from '../../hook/schedule-control.ts';
import { nextDue } from './plan.ts';
import type { ScheduleTarget } from './targets.ts';
import { lastOutcome, type ScheduleRecord } from './record.ts';

/** The status of a schedule for `hooklet schedule list`; `record` is undefined before the first plan. */
export function statusOf(target: ScheduleTarget, record: ScheduleRecord | undefined, isKept: boolean): ScheduleStatus {
  const { hook, id, binding } = target;
  const { source: crontab, timeZone } = binding.crontab;
  const about = { hook, binding: id, crontab, ...(timeZone !== undefined && { timeZone }) };
  if (record === undefined) return { ...about, isSuspended: false, missed: 0, isKept };
  const { lastScheduledMs, lastStartedMs, lastSucceededMs, isSuspended, missed, failures } = record;
  const nextAtMs = nextDue(record, target);
  return {
    ...about,
    ...(nextAtMs !== undefined && { nextAtMs }),
    ...(lastScheduledMs !== undefined && { lastScheduledAtMs: lastScheduledMs }),
    ...(lastStartedMs !== undefined && { lastStartedAtMs: lastStartedMs }),
    ...(lastSucceededMs !== undefined && { lastSucceededAtMs: lastSucceededMs }),
    ...lastOutcome(record),
    isSuspended,
    ...(failures !== undefined && { failures }),
    missed,
    isKept,
  };
}
