import { randomBytes } from 'node:crypto';
import type { ScheduleBinding } from '../../hook/binding.ts';
import { lastTick, nextRun, ticksBetween } from '../../crontab/next.ts';
import { jitterOf } from '../../hook/jitter.ts';
import { runIdOf } from '../../hook/run-id.ts';
import { MAX_OPEN, type OpenRun, type ScheduleRecord } from './record.ts';

/** A schedule binding, and under which name it is known: that of the second of one name ends in `#2`. */
export interface ScheduleTarget {
  readonly hook: string;
  readonly id: string;
  readonly binding: ScheduleBinding;
}

export interface Moment {
  readonly nowMs: number;
  /** Since when this process has followed the binding: what passed before was missed. */
  readonly presentSinceMs: number;
  readonly isStart: boolean;
  /** Whether a run that has not ended is known to be left behind by its operator. */
  readonly isLeftBehind: (run: OpenRun) => boolean;
  /** Names this process. */
  readonly me: string;
}

/** What is to be done at a moment, and the record when it is done. */
export interface Plan {
  readonly record: ScheduleRecord;
  /** To be run now, oldest first. */
  readonly runs: readonly OpenRun[];
  /** To be ended now. */
  readonly replaced: readonly OpenRun[];
  /** Ticks that are not made up for. */
  readonly missed: number;
  /** Whether `missed` was counted no further. */
  readonly isMissedAtLeast: boolean;
  /** Ticks that came while an earlier run went on. */
  readonly skipped: number;
  /** By how much the clock went back; then everything starts anew. */
  readonly backMs?: number;
}

/** Ticks that are later than this are made up for, not on time. */
export const LATE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MAX_COUNT = 10_000;

/** Decides what the ticks since the record was written come to. The record is returned itself when nothing is to be done. */
export function planTicks(known: ScheduleRecord | undefined, target: ScheduleTarget, moment: Moment): Plan {
  const { record, backMs } = currentRecord(known, target, moment);
  const ticks = record.isSuspended ? NO_TICKS : choose(record, target, moment);
  const taken = record.isSuspended ? NOTHING_TAKEN : takeOver(record, target, moment, ticks);
  const wanted = [...taken.runs, ...ticks.chosenMs.map((tickMs) => runOf(tickMs, target, moment))];
  const going = record.open.filter(({ holder, state }) => holder === moment.me && state !== 'interrupted');
  const { runs, replaced, skipped } = oneAtATime(wanted, going, target.binding);
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

/** When the next tick of a record is due, jitter included; absent while it is suspended. */
export function nextDue(record: ScheduleRecord, { hook, binding }: ScheduleTarget): number | undefined {
  if (record.isSuspended) return undefined;
  return nextRun(binding.crontab, record.coveredUntilMs, record.sinceMs) + jitterOf(hook, binding);
}

/** Whether the record is of a later time than the clock shows, so that its ticks mean nothing. */
export function isAhead(
  { coveredUntilMs, isSuspended }: ScheduleRecord,
  { binding }: ScheduleTarget,
  nowMs: number,
): boolean {
  // Where ticks are made up for, none is run twice because of a clock that was put right.
  const toleratedMs = binding.missed.type === 'skip' ? LATE_MS : HOUR_MS;
  return !isSuspended && coveredUntilMs - nowMs > toleratedMs;
}

/** The record of a binding that is followed from now on. */
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

/** The record, with its ticks begun anew where they mean nothing any more. */
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
  /** The newest one; absent when none is due. */
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

/** The last ticks where there are too many to go through, found from the end. */
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
  /** Runs that leave their place among the open ones: each is run again, or lost. */
  readonly ids: ReadonlySet<string>;
  readonly lost: number;
}

const NOTHING_TAKEN: TakenOver = { runs: [], ids: new Set(), lost: 0 };

/** Of what an operator that ended left behind, what is run again. */
function takeOver(record: ScheduleRecord, { hook, binding }: ScheduleTarget, moment: Moment, ticks: Ticks): TakenOver {
  const left = record.open.filter(moment.isLeftBehind);
  if (left.length === 0) return NOTHING_TAKEN;
  const { missed, startingDeadlineMs = Infinity } = binding;
  const offsetMs = jitterOf(hook, binding);
  const inTime = left.filter(({ scheduledAtMs }) => moment.nowMs - scheduledAtMs - offsetMs <= startingDeadlineMs);
  const room = roomFor(missed, ticks.chosenMs.length);
  const again = room === 0 ? [] : inTime.filter((run) => isWorthIt(run, record, missed)).slice(-room);
  return {
    runs: again.map((run): OpenRun => ({ ...run, state: 'waiting', holder: moment.me, heartbeatMs: moment.nowMs })),
    ids: new Set(left.map(({ runId }) => runId)),
    lost: left.length - again.length,
  };
}

/** With `latest`, a tick that came after it stands for it. */
function isWorthIt(run: OpenRun, { lastScheduledMs = 0 }: ScheduleRecord, missed: ScheduleBinding['missed']): boolean {
  return missed.type === 'all' || run.scheduledAtMs >= lastScheduledMs;
}

/** The newest are run first of all, so older ones have the room that is left. */
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

/** A run that somebody asked for. */
export function manualRun({ hook, id }: ScheduleTarget, nowMs: number, me: string): OpenRun {
  const runId = `${runIdOf(hook, id, nowMs)}-manual-${randomBytes(3).toString('hex')}`;
  const moment = { scheduledAtMs: nowMs, heartbeatMs: nowMs };
  return { runId, ...moment, reason: 'manual', state: 'waiting', attempts: 0, holder: me };
}

/** What `concurrency` makes of new runs beside those that have not ended. */
function oneAtATime(
  wanted: readonly OpenRun[],
  going: readonly OpenRun[],
  { concurrency }: ScheduleBinding,
): Pick<Plan, 'runs' | 'replaced' | 'skipped'> {
  const newest = wanted.slice(-1);
  if (concurrency === 'queue' || newest.length === 0) return { runs: wanted, replaced: [], skipped: 0 };
  const runs = concurrency === 'skip' && going.length > 0 ? [] : newest;
  return { runs, replaced: concurrency === 'replace' ? going : [], skipped: wanted.length - runs.length };
}

function backOf(backMs: number | undefined): { readonly backMs?: number } {
  return backMs === undefined ? {} : { backMs };
}
