import type { ScheduleOutcome } from '../../hook/schedule-control.ts';
import type { ScheduledRun } from '../../hook/trigger.ts';

/**
 * The state of one schedule binding. Where it is persisted, it outlives the process, and several processes write it:
 * operators before and after a restart, or replicas. `planTicks` decides which ticks become open runs; `BindingRuns`
 * applies the pure functions below as attempts begin and end. Times are milliseconds since the epoch.
 *
 * An open run begins as `waiting`. An attempt makes it `running`; when that fails, it is `waiting` again. It leaves the
 * record when it has ended, for good. It becomes `interrupted` when its holder stops following the binding before that.
 * Another process takes a run over by making it `waiting` with itself as the holder, if the run is interrupted or its
 * holder has ended.
 *
 * What must hold: only the holder of a run runs it and renews its heartbeat; and only the newest `MAX_OPEN` runs
 * remain.
 */
export interface ScheduleRecord {
  readonly hook: string;
  readonly binding: string;
  /** As written in the config. With another crontab or time zone, the ticks of the record mean nothing. */
  readonly crontab: string;
  readonly timeZone?: string;
  /** The intervals of `@every` count from here. */
  readonly sinceMs: number;
  /** Each tick up to here was run, skipped or missed. */
  readonly coveredUntilMs: number;
  readonly lastScheduledMs?: number;
  readonly lastStartedMs?: number;
  readonly lastSucceededMs?: number;
  /** The run that began or ended last. */
  readonly last?: { readonly runId: string; readonly outcome: ScheduleOutcome };
  /** Runs that have not ended, oldest first. */
  readonly open: readonly OpenRun[];
  readonly missed: number;
  readonly isSuspended: boolean;
  /** Attempts that failed in a row, of a binding with `suspendAfter`; absent: none. */
  readonly failures?: number;
}

/** A run that has not ended. */
export interface OpenRun extends Omit<ScheduledRun, 'attemptsBefore'> {
  /** `waiting` before the first attempt and between two; `interrupted` when its holder left it before its end. */
  readonly state: 'waiting' | 'running' | 'interrupted';
  /** Attempts that have begun. */
  readonly attempts: number;
  /** The operator process that runs it: its host, `_`, and a random suffix. */
  readonly holder: string;
  /** The holder's last heartbeat, by the holder's clock: other processes may only check whether it changed. */
  readonly heartbeatMs: number;
}

/** How a run ended for good. */
export type EndedOutcome = 'succeeded' | 'failed' | 'replaced';

/** How many open runs a record has at most. */
export const MAX_OPEN = 1000;

const REASONS: readonly string[] = ['tick', 'catch-up', 'manual'] satisfies readonly OpenRun['reason'][];

/** Whether a text is one of the reasons of a scheduled run. */
export function isScheduledReason(text: string): text is OpenRun['reason'] {
  return REASONS.includes(text);
}

/** An attempt at these runs begins. They come complete, since a record that was read again may lack them. */
export function startRuns(record: ScheduleRecord, runs: readonly OpenRun[], nowMs: number): ScheduleRecord {
  const started = runs.map((run): OpenRun => ({ ...run, state: 'running' }));
  const ids = idsOf(started);
  const others = record.open.filter(({ runId }) => !ids.has(runId));
  const open = [...others, ...started].toSorted((a, b) => a.scheduledAtMs - b.scheduledAtMs).slice(-MAX_OPEN);
  return { ...record, open, lastStartedMs: nowMs, ...lastOf(started, 'running') };
}

/** The attempts at these runs ended with `outcome`, and others follow. */
export function retryRuns(
  record: ScheduleRecord,
  ids: ReadonlySet<string>,
  outcome: 'failed' | 'waiting' = 'failed',
): ScheduleRecord {
  const open = record.open.map((run): OpenRun => (ids.has(run.runId) ? { ...run, state: 'waiting' } : run));
  return { ...record, open, ...lastOf(open, outcome, ids) };
}

/** The runs have ended with `outcome`, and leave the record. */
export function endRuns(
  record: ScheduleRecord,
  {
    ids,
    outcome,
    nowMs,
  }: { readonly ids: ReadonlySet<string>; readonly outcome: EndedOutcome; readonly nowMs: number },
): ScheduleRecord {
  const open = record.open.filter(({ runId }) => !ids.has(runId));
  const success = outcome === 'succeeded' ? { lastSucceededMs: nowMs } : {};
  return { ...record, open, ...success, ...lastOf(record.open, outcome, ids) };
}

/** The process `me` renews the heartbeat of all its runs. */
export function renewRuns(record: ScheduleRecord, me: string, nowMs: number): ScheduleRecord {
  const open = record.open.map((run) => (run.holder === me ? { ...run, heartbeatMs: nowMs } : run));
  return { ...record, open };
}

/**
 * Whether `me` may take a run over without waiting for a heartbeat: the run is interrupted, or its holder is another
 * process of the same host, which has ended since only one operator at a time has a host name.
 */
export function isLeftBehind({ state, holder }: OpenRun, me: string): boolean {
  if (state === 'interrupted') return true;
  return holder !== me && hostOf(holder) === hostOf(me);
}

function hostOf(holder: string): string {
  return holder.slice(0, Math.max(0, holder.lastIndexOf('_')));
}

/** Interrupts the runs for which `isHit` returns true: another process may take them over. */
export function interruptRuns(record: ScheduleRecord, isHit: (run: OpenRun) => boolean): ScheduleRecord {
  const ids = idsOf(record.open.filter(isHit));
  if (ids.size === 0) return record;
  const open = record.open.map((run): OpenRun => (ids.has(run.runId) ? { ...run, state: 'interrupted' } : run));
  return { ...record, open, ...lastOf(open, 'interrupted', ids) };
}

/** The last run in `hooklet schedule list`: the newest open one if it has not begun, else the one in `last`. */
export function lastOutcome({ last, open }: ScheduleRecord): ScheduleRecord['last'] {
  const newest = open.at(-1);
  if (newest === undefined || newest.runId === last?.runId) return last;
  return newest.attempts === 0 ? { runId: newest.runId, outcome: newest.state } : last;
}

function idsOf(runs: readonly OpenRun[]): ReadonlySet<string> {
  return new Set(runs.map(({ runId }) => runId));
}

function lastOf(
  runs: readonly OpenRun[],
  outcome: ScheduleOutcome,
  ids?: ReadonlySet<string>,
): Pick<ScheduleRecord, 'last'> {
  const newest = runs.findLast(({ runId }) => ids?.has(runId) ?? true);
  return newest === undefined ? {} : { last: { runId: newest.runId, outcome } };
}
