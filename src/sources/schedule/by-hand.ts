import type { ScheduleBinding } from '../../hook/binding.ts';
import type { OpenRun, ScheduleRecord } from './record.ts';
import { withoutFailures } from './suspension.ts';

/** The record, and in `result` the runs of this process that must end for the triggered one, if it was added. */
export interface Triggered {
  readonly record: ScheduleRecord;
  readonly result: readonly OpenRun[] | 'too-many';
}

/** How many runs of a binding may be open when another one is triggered. */
export const MAX_TRIGGERED_OPEN = 100;

/**
 * Adds `run`, which a person triggered. With `replace`, it replaces the runs that its holder has not ended; else it is
 * not added while 100 runs are open.
 */
export function triggerRun(
  record: ScheduleRecord,
  run: OpenRun,
  concurrency: ScheduleBinding['concurrency'],
): Triggered {
  // The record contains the run already when only the response to the write was lost.
  const others = record.open.filter(({ runId }) => runId !== run.runId);
  const unfinished = others.filter(({ holder, state }) => holder === run.holder && state !== 'interrupted');
  const replaced = concurrency === 'replace' ? unfinished : [];
  if (others.length - replaced.length >= MAX_TRIGGERED_OPEN) return { record, result: 'too-many' };
  return { record: { ...record, open: [...others, run] }, result: replaced };
}

/**
 * Ends the suspension of a record. Ticks up to now are not made up for, and of the open runs only those remain that
 * `me` holds and that are not interrupted. A record that is not suspended is returned itself.
 */
export function resumeRuns(record: ScheduleRecord, me: string, nowMs: number): ScheduleRecord {
  if (!record.isSuspended) return record;
  return {
    ...withoutFailures(record),
    isSuspended: false,
    coveredUntilMs: Math.max(record.coveredUntilMs, nowMs),
    open: record.open.filter(({ holder, state }) => holder === me && state !== 'interrupted'),
  };
}
