/**
 * One schedule binding of a loaded hook, as `hooklet schedule list` shows it. Times are milliseconds since the epoch.
 */
export interface ScheduleStatus {
  readonly hook: string;
  /** The name of the binding; the second binding of that name in a hook is `name#2`, here and in `ScheduleControl`. */
  readonly binding: string;
  /** As written in the config. */
  readonly crontab: string;
  /** IANA name; absent: the time zone of the operator's process. */
  readonly timeZone?: string;
  /** The next tick; absent while suspended. */
  readonly nextAtMs?: number;
  readonly lastScheduledAtMs?: number;
  readonly lastStartedAtMs?: number;
  readonly lastSucceededAtMs?: number;
  /** The last run, including one triggered by a person; absent before the first. */
  readonly runId?: string;
  /** The outcome of the run `runId`. */
  readonly outcome?: ScheduleOutcome;
  /** What the run waits for: an earlier task of its queue, or the run's own next attempt. */
  readonly heldBy?: ScheduleHold;
  readonly isSuspended: boolean;
  /** Attempts that failed in a row, of a binding with `suspendAfter`; absent: none. */
  readonly failures?: number;
  /** Ticks that were missed and not run late, counted since the binding's state was first persisted. */
  readonly missed: number;
  /** Whether the state above is persisted, so that it survives a restart of the operator. */
  readonly isKept: boolean;
}

/** A task that blocks its queue: it failed and waits for its next attempt, it waits until it may run, or it runs. */
export interface ScheduleHold {
  readonly hook: string;
  readonly queue: string;
  /** The number of the next attempt, or of the running one. */
  readonly attempt: number;
  /** When the next attempt begins; absent while an attempt runs. */
  readonly againAtMs?: number;
  /** When the running attempt began; absent while the task waits. */
  readonly runningSinceMs?: number;
  /** Since when it waits until it may run; absent unless it does. */
  readonly limitedSinceMs?: number;
  /** What it waits for then; absent: the rate limit of its hook. */
  readonly limitedBy?: string;
}

export type ScheduleOutcome = 'waiting' | 'running' | 'succeeded' | 'failed' | 'interrupted' | 'replaced';

/**
 * The commands for the schedules of a running operator. Each rejects with `UsageError` for an unknown hook or binding.
 */
export interface ScheduleControl {
  list(): readonly ScheduleStatus[];
  /** Runs a binding now, regardless of its crontab; returns the run's id. */
  trigger(hook: string, binding: string): Promise<string>;
  /** Stops the ticks of a binding until `resume`; ticks in between are not run late. */
  suspend(hook: string, binding: string): Promise<void>;
  resume(hook: string, binding: string): Promise<void>;
}
