/** One schedule binding of a loaded hook, as `hooklet schedule list` shows it. Times are milliseconds since the epoch. */
export interface ScheduleStatus {
  readonly hook: string;
  /** Its name; the second of one name in a hook is `name#2`, which tells them apart in `ScheduleControl` too. */
  readonly binding: string;
  /** As written. */
  readonly crontab: string;
  /** IANA name; absent: that of the operator's process. */
  readonly timeZone?: string;
  /** Absent while suspended. */
  readonly nextAtMs?: number;
  readonly lastScheduledAtMs?: number;
  readonly lastStartedAtMs?: number;
  readonly lastSucceededAtMs?: number;
  /** Of the last run, also one by hand; absent before the first. */
  readonly runId?: string;
  /** Of the run that is meant by `runId`. */
  readonly outcome?: ScheduleOutcome;
  /** Why the run waits: a task before it in its queue failed and is tried again, or the run itself. */
  readonly heldBy?: ScheduleHold;
  readonly isSuspended: boolean;
  /** Ticks missed and not made up for, since its state is persisted. */
  readonly missed: number;
  /** Whether a restart of the operator is survived by what is above. */
  readonly isKept: boolean;
}

/** A task that keeps its queue: it failed and is tried again, or it runs for long. */
export interface ScheduleHold {
  readonly hook: string;
  readonly queue: string;
  /** The number of the next attempt, or of the one that runs. */
  readonly attempt: number;
  /** Milliseconds since the epoch; absent while the attempt runs. */
  readonly againAtMs?: number;
  /** Since when the attempt runs; absent while it waits. */
  readonly runningSinceMs?: number;
}

export type ScheduleOutcome = 'waiting' | 'running' | 'succeeded' | 'failed' | 'interrupted' | 'replaced';

/** What a person may ask of the schedules of a running operator. */
export interface ScheduleControl {
  list(): readonly ScheduleStatus[];
  /** Runs a binding now, whatever its crontab says; returns the run's id. Rejects with `UsageError` for an unknown one. */
  trigger(hook: string, binding: string): Promise<string>;
  /** No more ticks until `resume`; those in between count as missed by choice and are not made up for. */
  suspend(hook: string, binding: string): Promise<void>;
  resume(hook: string, binding: string): Promise<void>;
}
