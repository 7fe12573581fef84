import type { ScheduleRecord } from './record.ts';

/**
 * An attempt at runs of a binding failed: the binding is suspended after `suspendAfter` of them in a row, over all its
 * runs. They are counted only where there is such a limit.
 */
export function withFailure(record: ScheduleRecord, suspendAfter: number | undefined): ScheduleRecord {
  if (suspendAfter === undefined) return record;
  const failures = (record.failures ?? 0) + 1;
  return { ...record, failures, isSuspended: record.isSuspended || failures >= suspendAfter };
}

/** An attempt succeeded, or the binding is resumed: the count begins anew. */
export function withoutFailures(record: ScheduleRecord): ScheduleRecord {
  const { failures, ...without } = record;
  return failures === undefined ? record : without;
}
