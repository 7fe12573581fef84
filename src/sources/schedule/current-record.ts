import { LATE_MS } from './chosen-ticks.ts';
import type { ScheduleRecord } from './record.ts';
import type { ScheduleTarget } from './targets.ts';

export interface RecordMoment {
  readonly nowMs: number;
  /** Whether this process plans the binding for the first time. */
  readonly isStart: boolean;
}

const HOUR_MS = 3_600_000;

/**
 * The record; a new one where there is none. Its ticks start anew with another crontab or time zone, after the clock
 * was set back, and at each start for an `@every` whose missed ticks are skipped.
 */
export function currentRecord(
  known: ScheduleRecord | undefined,
  target: ScheduleTarget,
  { nowMs, isStart }: RecordMoment,
): { readonly record: ScheduleRecord; readonly backMs?: number } {
  if (known === undefined) return { record: newRecord(target, nowMs) };
  const { crontab, missed } = target.binding;
  const { source, timeZone } = crontab;
  const anew = { ...known, ...newTicks(target, nowMs) };
  if (known.crontab !== source || known.timeZone !== timeZone) return { record: anew };
  if (isAhead(known, target, nowMs)) return { record: anew, backMs: known.coveredUntilMs - nowMs };
  const isEvery = crontab.plan.type === 'every';
  return { record: isStart && isEvery && missed.type === 'skip' ? anew : known };
}

/** Whether the record is so far ahead of the clock that its ticks mean nothing: the clock was set back. */
export function isAhead(
  { coveredUntilMs, isSuspended }: ScheduleRecord,
  { binding }: ScheduleTarget,
  nowMs: number,
): boolean {
  // More where missed ticks are made up for: a correction of the clock must not run one twice.
  const toleratedMs = binding.missed.type === 'skip' ? LATE_MS : HOUR_MS;
  return !isSuspended && coveredUntilMs - nowMs > toleratedMs;
}

/** The record of a binding whose ticks count from `nowMs` on. */
export function newRecord({ hook, id, binding }: ScheduleTarget, nowMs: number): ScheduleRecord {
  const { source, timeZone } = binding.crontab;
  return {
    hook,
    binding: id,
    crontab: source,
    ...(timeZone !== undefined && { timeZone }),
    sinceMs: nowMs,
    coveredUntilMs: nowMs,
    open: [],
    missed: 0,
    isSuspended: false,
  };
}

function newTicks(target: ScheduleTarget, nowMs: number): Partial<ScheduleRecord> {
  const { crontab, sinceMs, coveredUntilMs, ...rest } = newRecord(target, nowMs);
  return { crontab, sinceMs, coveredUntilMs, ...(rest.timeZone !== undefined && { timeZone: rest.timeZone }) };
}
