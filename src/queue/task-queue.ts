/** What every queue is to those who only fill it, look at it, or have it run. */
export interface TaskQueue<T> {
  readonly name: string;
  /** The number of tasks, also of those that run or wait aside. */
  readonly length: number;
  /** A copy of the tasks: those that run first, those that wait for another attempt aside last. */
  readonly tasks: readonly T[];
  /** The tasks that are worked on, and those that wait for their next attempt. */
  readonly heads: readonly Head<T>[];
  /** What the queue does now, as text. */
  readonly status: string;
  push(...tasks: readonly T[]): void;
  /** Removes tasks that do not run, and returns them. */
  drop(isUnwanted: (task: T) => boolean): readonly T[];
  /** Ends the wait of these tasks for their next attempt: it comes at once. */
  hasten(isWanted: (task: T) => boolean): void;
  /** Whether a task that has a key of `task` waits for its run. */
  hasWaiting(task: T): boolean;
  /** Changes how many tasks run side by side, where the queue can run several. */
  resize(parallelism: number): void;
  /** Works until `signal` aborts; resolves when the work that is running then has ended. */
  run(signal: AbortSignal): Promise<void>;
}

/** A task at work, or one that waits for its next attempt. Times are milliseconds since the epoch. */
export type Head<T> = HeadState & {
  readonly task: T;
  /** The tasks that wait until this one is done. */
  readonly behind: readonly T[];
};

type HeadState =
  /** It waits until it may run, such as for a rate limit. */
  | { readonly state: 'admitting'; readonly sinceMs: number }
  | { readonly state: 'running'; readonly sinceMs: number }
  | { readonly state: 'delayed'; readonly untilMs: number };

/** What happens to a task after the work on it. */
export type Verdict<T> =
  /** It leaves the queue. */
  | { readonly type: 'done' }
  /** It is replaced by `as`, which is worked on after `delayMs`. */
  | { readonly type: 'again'; readonly as: T; readonly delayMs: number }
  /** It stays where it is; only for a queue whose signal has aborted, else it is worked on again immediately. */
  | { readonly type: 'keep' };
