import { randomBytes } from 'node:crypto';
import type { ScheduleBinding } from '../../hook/binding.ts';
import { lastTick, nextRun, ticksBetween } from '../../crontab/next.ts';
import { jitterOf } from '../../hook/jitter.ts';
import { runIdOf } from '../../hook/run-id.ts';
import { MAX_OPEN, type OpenRun, type ScheduleRecord } from './record.ts';

/** A schedule binding, with an id that is unique in its hook: `name`, then `name#2` for a second one of that name. */
export interface ScheduleTarget {
  readonly hook: string;
  readonly id: string;
  readonly binding: ScheduleBinding;
}

/** Everything about a plan that is not in the record or the binding. Times are milliseconds since the epoch. */
export interface Moment {
  readonly nowMs: number;
  /** Since when this process has followed the binding; ticks that were due before may have been missed. */
  readonly presentSinceMs: number;
  /** Whether this process plans the binding for the first time. */
  readonly isStart: boolean;
  /** Whether the holder of an open run counts as ended, so that the run may be taken over. */
  readonly isLeftBehind: (run: OpenRun) => boolean;
  /** Names this process. */
  readonly me: string;
}

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

/** A tick that runs later than this is made up for (`catch-up`), not on time (`tick`). */
export const LATE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MAX_COUNT = 10_000;

/**
 * Decides what happens to the ticks since `coveredUntilMs`, and to the runs that ended processes left behind. Pure:
 * `BindingSchedule` calls it at its start, when a tick is due, and when it knows whose heartbeat stopped, each time in
 * an update of the record, which may call it again with a newer one.
 *
 * 1. `currentRecord`: where the ticks of the record mean nothing, they start anew from now.
 * 2. `choose`: which of the ticks that came are run, by `missed` and the starting deadline.
 * 3. `takeOver`: which of the runs left behind are run again; newer ticks come first.
 * 4. `applyConcurrency`: which of all these start, and which runs of this process end for them.
 *
 * What must hold: each tick is run, skipped or counted as missed, and none twice, since `coveredUntilMs` moves to the
 * newest tick. A suspended record has no ticks, and nothing is taken over. When nothing is to be done, `record` is the
 * one from step 1, which is the known one unless its ticks started anew.
 */
export function planTicks(known: ScheduleRecord | undefined, target: ScheduleTarget, moment: Moment): Plan {
  const { record, backMs } = currentRecord(known, target, moment);
  const ticks = record.isSuspended ? NO_TICKS : choose(record, target, moment);
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

/**
 * The record; a new one where there is none. Its ticks start anew with another crontab or time zone, after the clock
 * was set back, and at each start for an `@every` whose missed ticks are skipped.
 */
function currentRecord(
  known: ScheduleRecord | undefined,
  target: ScheduleTarget,
  { nowMs, isStart }: Moment,
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

function newTicks(target: ScheduleTarget, nowMs: number): Partial<ScheduleRecord> {
  const { crontab, sinceMs, coveredUntilMs, ...rest } = newRecord(target, nowMs);
  return { crontab, sinceMs, coveredUntilMs, ...(rest.timeZone !== undefined && { timeZone: rest.timeZone }) };
}

interface Ticks {
  /** The newest tick that is due; absent when there is none. */
  readonly lastMs?: number;
  /** To be run, oldest first. */
  readonly chosenMs: readonly number[];
  readonly count: number;
  readonly isCountAtLeast: boolean;
}

const NO_TICKS: Ticks = { chosenMs: [], count: 0, isCountAtLeast: false };

function choose(record: ScheduleRecord, { hook, binding }: ScheduleTarget, moment: Moment): Ticks {
  const { crontab, missed } = binding;
  const { coveredUntilMs: fromMs, sinceMs } = record;
  const offsetMs = jitterOf(hook, binding);
  const toMs = moment.nowMs - offsetMs;
  const lastMs = lastTick(crontab, fromMs, toMs, sinceMs);
  if (lastMs === undefined) return NO_TICKS;
  const all = ticksBetween(crontab, { fromMs, toMs, limit: MAX_COUNT + 1 }, sinceMs);
  const isCountAtLeast = all.length > MAX_COUNT;
  const newest = missed.type !== 'all' ? [lastMs] : isCountAtLeast ? newestTicks(record, binding, toMs) : all;
  const limit = missed.type === 'all' ? missed.limit : 1;
  const isWanted = (tickMs: number): boolean => isInTime(tickMs + offsetMs, binding, moment);
  const chosenMs = newest.slice(-limit).filter(isWanted);
  return { lastMs, chosenMs, count: Math.min(all.length, MAX_COUNT), isCountAtLeast };
}

/** As many of the newest ticks as `missed` allows, searched from the end: for when there are too many to list. */
function newestTicks(record: ScheduleRecord, { crontab, missed }: ScheduleBinding, toMs: number): readonly number[] {
  const ticks: number[] = [];
  let beforeMs = toMs;
  const limit = missed.type === 'all' ? missed.limit : 1;
  while (ticks.length < limit) {
    const tickMs = lastTick(crontab, record.coveredUntilMs, beforeMs, record.sinceMs);
    if (tickMs === undefined) break;
    ticks.unshift(tickMs);
    beforeMs = tickMs - 1;
  }
  return ticks;
}

function isInTime(
  dueMs: number,
  { missed, startingDeadlineMs = Infinity }: ScheduleBinding,
  { nowMs, presentSinceMs }: Moment,
): boolean {
  if (nowMs - dueMs > startingDeadlineMs) return false;
  return missed.type !== 'skip' || nowMs - dueMs <= LATE_MS || dueMs >= presentSinceMs;
}

interface TakenOver {
  readonly runs: readonly OpenRun[];
  /** Runs to remove from the open ones, whether they are run again or lost. */
  readonly ids: ReadonlySet<string>;
  readonly lost: number;
}

const NOTHING_TAKEN: TakenOver = { runs: [], ids: new Set(), lost: 0 };

/** Chooses which of the runs left behind this process runs again; the others are lost. */
function takeOver(record: ScheduleRecord, { hook, binding }: ScheduleTarget, moment: Moment, ticks: Ticks): TakenOver {
  const left = record.open.filter(moment.isLeftBehind);
  if (left.length === 0) return NOTHING_TAKEN;
  const { missed, startingDeadlineMs = Infinity } = binding;
  const offsetMs = jitterOf(hook, binding);
  const inTime = left.filter(({ scheduledAtMs }) => moment.nowMs - scheduledAtMs - offsetMs <= startingDeadlineMs);
  const room = roomFor(missed, ticks.chosenMs.length);
  const again = room === 0 ? [] : inTime.filter((run) => isStillWanted(run, record, missed)).slice(-room);
  return {
    runs: again.map((run): OpenRun => ({ ...run, state: 'waiting', holder: moment.me, heartbeatMs: moment.nowMs })),
    ids: new Set(left.map(({ runId }) => runId)),
    lost: left.length - again.length,
  };
}

/** With `latest`, only the newest tick counts: a run is not wanted once a later tick was scheduled. */
function isStillWanted(
  run: OpenRun,
  { lastScheduledMs = 0 }: ScheduleRecord,
  missed: ScheduleBinding['missed'],
): boolean {
  return missed.type === 'all' || run.scheduledAtMs >= lastScheduledMs;
}

/** How many runs may be taken over: the limit of `missed`, less the newer ticks that are run. */
function roomFor(missed: ScheduleBinding['missed'], newer: number): number {
  if (missed.type === 'skip') return 0;
  return Math.max(0, (missed.type === 'all' ? missed.limit : 1) - newer);
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
