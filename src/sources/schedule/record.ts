import type { ScheduleOutcome } from '../../hook/schedule-control.ts';
import type { ScheduledRun } from '../../hook/trigger.ts';

/** What is known of one schedule binding, over restarts where it is persisted. Times are milliseconds since the epoch. */
export interface ScheduleRecord {
  readonly hook: string;
  readonly binding: string;
  /** As written, with the zone of `timeZone`: with another one, the record's ticks mean nothing. */
  readonly crontab: string;
  readonly timeZone?: string;
  /** `@every` counts from here. */
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
}

export interface OpenRun extends Omit<ScheduledRun, 'attemptsBefore'> {
  /** Between two attempts it waits; interrupted: its operator ended. */
  readonly state: 'waiting' | 'running' | 'interrupted';
  /** Begun so far. */
  readonly attempts: number;
  /** The operator process that has it: its host, `_`, and what tells it from others there. */
  readonly holder: string;
  /** The holder's last heartbeat, by the holder's clock: to other processes only a change of it means something. */
  readonly heartbeatMs: number;
}

export type EndedOutcome = 'succeeded' | 'failed' | 'replaced';

/** How many runs that have not ended are remembered. */
export const MAX_OPEN = 1000;

const REASONS: readonly string[] = ['tick', 'catch-up', 'manual'] satisfies readonly OpenRun['reason'][];

export function isScheduledReason(text: string): text is OpenRun['reason'] {
  return REASONS.includes(text);
}

/** An attempt at these runs begins. Each comes with the number of its attempts, which a record that was read again may lack. */
export function startRuns(record: ScheduleRecord, runs: readonly OpenRun[], nowMs: number): ScheduleRecord {
  const started = runs.map((run): OpenRun => ({ ...run, state: 'running' }));
  const ids = idsOf(started);
  const others = record.open.filter(({ runId }) => !ids.has(runId));
  const open = [...others, ...started].toSorted((a, b) => a.scheduledAtMs - b.scheduledAtMs).slice(-MAX_OPEN);
  return { ...record, open, lastStartedMs: nowMs, ...lastOf(started, 'running') };
}

/** The attempt at these runs failed, and another one follows. */
export function retryRuns(record: ScheduleRecord, ids: ReadonlySet<string>): ScheduleRecord {
  const open = record.open.map((run): OpenRun => (ids.has(run.runId) ? { ...run, state: 'waiting' } : run));
  return { ...record, open, ...lastOf(open, 'failed', ids) };
}

/** The runs are over. */
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

/** Whether a run may be taken over without waiting for a heartbeat: its holder is known to have ended. */
export function isLeftBehind({ state, holder }: OpenRun, me: string): boolean {
  if (state === 'interrupted') return true;
  return holder !== me && hostOf(holder) === hostOf(me);
}

function hostOf(holder: string): string {
  return holder.slice(0, Math.max(0, holder.lastIndexOf('_')));
}

/** The operator of the runs that `isHit` names ends: the next operator may run them again. */
export function interruptRuns(record: ScheduleRecord, isHit: (run: OpenRun) => boolean): ScheduleRecord {
  const ids = idsOf(record.open.filter(isHit));
  if (ids.size === 0) return record;
  const open = record.open.map((run): OpenRun => (ids.has(run.runId) ? { ...run, state: 'interrupted' } : run));
  return { ...record, open, ...lastOf(open, 'interrupted', ids) };
}

/** What `hooklet schedule list` says of the last run: one that waits is news, even before it began. */
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
