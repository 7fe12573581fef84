import type { ScheduleBinding } from '../../hook/binding.ts';
import type { OpenRun, ScheduleRecord } from './record.ts';

/** A record that was changed by hand, and the runs of this process that give way to the one that was asked for. */
export interface Triggered {
  readonly record: ScheduleRecord;
  readonly result: readonly OpenRun[];
}

/** Somebody asks for `run`. */
export function triggerRun(
  record: ScheduleRecord,
  run: OpenRun,
  concurrency: ScheduleBinding['concurrency'],
): Triggered {
  // It is there already where only the answer to the write was lost.
  const others = record.open.filter(({ runId }) => runId !== run.runId);
  const going = others.filter(({ holder, state }) => holder === run.holder && state !== 'interrupted');
  return { record: { ...record, open: [...others, run] }, result: concurrency === 'replace' ? going : [] };
}

/** What would have come meanwhile is not made up for, nor is what was interrupted before. */
export function resumeRuns(record: ScheduleRecord, me: string, nowMs: number): ScheduleRecord {
  if (!record.isSuspended) return record;
  return {
    ...record,
    isSuspended: false,
    coveredUntilMs: Math.max(record.coveredUntilMs, nowMs),
    open: record.open.filter(({ holder, state }) => holder === me && state !== 'interrupted'),
  };
}
