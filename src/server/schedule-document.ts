import type { ScheduleHold, ScheduleOutcome, ScheduleStatus } from '../hook/schedule-control.ts';

/** A schedule as the control socket returns it and `hooklet schedule list -o json` prints it; times are RFC 3339. */
export interface ScheduleDocument {
  readonly hook: string;
  readonly binding: string;
  readonly crontab: string;
  readonly timeZone?: string;
  readonly next?: string;
  readonly lastScheduled?: string;
  readonly lastStarted?: string;
  readonly lastSuccess?: string;
  /** The id of the last run. */
  readonly runId?: string;
  readonly outcome?: ScheduleOutcome;
  /** Why the run waits: the failed task before it or the run itself, and when that is retried. */
  readonly heldBy?: {
    readonly hook: string;
    readonly queue: string;
    readonly attempt: number;
    readonly again?: string;
    readonly runningSince?: string;
    readonly limitedSince?: string;
    /** What it waits for since then; absent: the rate limit of its hook. */
    readonly limitedBy?: string;
  };
  readonly missed: number;
  readonly suspended: boolean;
  /** Attempts that failed in a row, of a schedule with `suspendAfter`. */
  readonly failures?: number;
  /** Whether these facts are persisted and survive a restart of the operator. */
  readonly kept: boolean;
}

/** Returns the document of a schedule; times that are not known are left out. */
export function scheduleDocument(status: ScheduleStatus): ScheduleDocument {
  const { hook, binding, crontab, timeZone, runId, outcome, heldBy, missed, isSuspended, isKept, failures } = status;
  return {
    hook,
    binding,
    crontab,
    ...(timeZone !== undefined && { timeZone }),
    ...timeAt('next', status.nextAtMs),
    ...timeAt('lastScheduled', status.lastScheduledAtMs),
    ...timeAt('lastStarted', status.lastStartedAtMs),
    ...timeAt('lastSuccess', status.lastSucceededAtMs),
    ...(runId !== undefined && { runId }),
    ...(outcome !== undefined && { outcome }),
    ...(heldBy !== undefined && { heldBy: holdDocument(heldBy) }),
    missed,
    suspended: isSuspended,
    ...(failures !== undefined && { failures }),
    kept: isKept,
  };
}

function holdDocument({
  hook,
  queue,
  attempt,
  againAtMs,
  runningSinceMs,
  limitedSinceMs,
  limitedBy,
}: ScheduleHold): NonNullable<ScheduleDocument['heldBy']> {
  return {
    hook,
    queue,
    attempt,
    ...timeAt('again', againAtMs),
    ...timeAt('runningSince', runningSinceMs),
    ...timeAt('limitedSince', limitedSinceMs),
    ...(limitedBy !== undefined && { limitedBy }),
  };
}

function timeAt(key: string, timeMs: number | undefined): Readonly<Record<string, string>> {
  return timeMs === undefined ? {} : { [key]: new Date(timeMs).toISOString() };
}
