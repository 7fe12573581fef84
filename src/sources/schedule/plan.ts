import { randomBytes } from 'node:crypto';
import type { ScheduleBinding } from '../../hook/binding.ts';
import { nextRun } from '../../crontab/next.ts';
import { jitterOf } from '../../hook/jitter.ts';
import { runIdOf } from '../../hook/run-id.ts';
import { chooseTicks, LATE_MS, NO_TICKS, type TickMoment } from './chosen-ticks.ts';
import { currentRecord, type RecordMoment } from './current-record.ts';
import { MAX_OPEN, type OpenRun, type ScheduleRecord } from './record.ts';
import { NOTHING_TAKEN, takeOver, type TakeOverMoment } from './taken-over.ts';
import type { ScheduleTarget } from './targets.ts';

/** Everything about a plan that is not in the record or the binding. Times are milliseconds since the epoch. */
export interface Moment extends RecordMoment, TickMoment, TakeOverMoment {}

/** What is to be done, and the record when it is done. */
export interface Plan {
  readonly record: ScheduleRecord;
  /** Runs to be run now, oldest first. */
  readonly runs: readonly OpenRun[];
  /** Runs of this process to be ended now. */
  readonly replaced: readonly OpenRun[];
  /** Ticks, and runs that were left behind, that are not made up for. */
  readonly missed: number;
  /** Whether counting stopped at a limit, so that `missed` is a lower bound. */
  readonly isMissedAtLeast: boolean;
  /** Runs that do not start because of `concurrency`. */
  readonly skipped: number;
  /** How far the record is ahead of the clock; absent unless its ticks start anew for that. */
  readonly backMs?: number;
}

/**
 * Decides what happens to the ticks since `coveredUntilMs`, and to the runs that ended processes left behind. Pure:
 * `BindingSchedule` calls it at its start, when a tick is due, and when it knows whose heartbeat stopped, each time in
 * an update of the record, which may call it again with a newer one.
 *
 * 1. `currentRecord`: where the ticks of the record mean nothing, they start anew from now.
 * 2. `chooseTicks`: which of the ticks that came are run, by `missed` and the starting deadline.
 * 3. `takeOver`: which of the runs left behind are run again; newer ticks come first.
 * 4. `applyConcurrency`: which of all these start, and which runs of this process end for them.
 *
 * What must hold: each tick is run, skipped or counted as missed, and none twice, since `coveredUntilMs` moves to the
 * newest tick. A suspended record has no ticks, and nothing is taken over. When nothing is to be done, `record` is the
 * one from step 1, which is the known one unless its ticks started anew.
 */
export function planTicks(known: ScheduleRecord | undefined, target: ScheduleTarget, moment: Moment): Plan {
  const { record, backMs } = currentRecord(known, target, moment);
  const ticks = record.isSuspended ? NO_TICKS : chooseTicks(record, target, moment);
  const taken = record.isSuspended ? NOTHING_TAKEN : takeOver(record, target, moment, ticks);
  const wanted = [...taken.runs, ...ticks.chosenMs.map((tickMs) => runOf(tickMs, target, moment))];
  const unfinished = record.open.filter(({ holder, state }) => holder === moment.me && state !== 'interrupted');
  const { runs, replaced, skipped } = applyConcurrency(wanted, unfinished, target.binding);
  const lastMs = ticks.lastMs;
  if (lastMs === undefined && taken.ids.size === 0) {
    return { record, runs: [], replaced: [], missed: 0, isMissedAtLeast: false, skipped: 0, ...backOf(backMs) };
  }
  const missed = ticks.count - ticks.chosenMs.length + taken.lost;
  const scheduledMs = runs.findLast(({ attempts }) => attempts === 0)?.scheduledAtMs;
  return {
    record: {
      ...record,
      ...(lastMs !== undefined && { coveredUntilMs: lastMs }),
      ...(scheduledMs !== undefined && { lastScheduledMs: scheduledMs }),
      open: [...record.open.filter(({ runId }) => !taken.ids.has(runId)), ...runs].slice(-MAX_OPEN),
      missed: record.missed + missed,
    },
    runs,
    replaced,
    missed,
    isMissedAtLeast: ticks.isCountAtLeast,
    skipped,
    ...backOf(backMs),
  };
}

/** When the next tick of a record is due, jitter included; undefined while it is suspended. */
export function nextDue(record: ScheduleRecord, { hook, binding }: ScheduleTarget): number | undefined {
  if (record.isSuspended) return undefined;
  return nextRun(binding.crontab, record.coveredUntilMs, record.sinceMs) + jitterOf(hook, binding);
}

function runOf(tickMs: number, { hook, id, binding }: ScheduleTarget, { nowMs, me }: Moment): OpenRun {
  const isLate = nowMs - tickMs - jitterOf(hook, binding) > LATE_MS;
  return {
    runId: runIdOf(hook, id, tickMs),
    scheduledAtMs: tickMs,
    reason: isLate ? 'catch-up' : 'tick',
    state: 'waiting',
    attempts: 0,
    holder: me,
    heartbeatMs: nowMs,
  };
}

/** A new run of this process that a person triggered. */
export function manualRun({ hook, id }: ScheduleTarget, nowMs: number, me: string): OpenRun {
  const runId = `${runIdOf(hook, id, nowMs)}-manual-${randomBytes(3).toString('hex')}`;
  const moment = { scheduledAtMs: nowMs, heartbeatMs: nowMs };
  return { runId, ...moment, reason: 'manual', state: 'waiting', attempts: 0, holder: me };
}

/** Applies `concurrency`: `unfinished` are the runs of this process that have not ended. */
function applyConcurrency(
  wanted: readonly OpenRun[],
  unfinished: readonly OpenRun[],
  { concurrency }: ScheduleBinding,
): Pick<Plan, 'runs' | 'replaced' | 'skipped'> {
  const newest = wanted.slice(-1);
  if (concurrency === 'queue' || newest.length === 0) return { runs: wanted, replaced: [], skipped: 0 };
  const runs = concurrency === 'skip' && unfinished.length > 0 ? [] : newest;
  return { runs, replaced: concurrency === 'replace' ? unfinished : [], skipped: wanted.length - runs.length };
}

function backOf(backMs: number | undefined): { readonly backMs?: number } {
  return backMs === undefined ? {} : { backMs };
}
