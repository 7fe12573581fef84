import { randomUUID } from 'node:crypto';
import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { HookResult } from '../hook/result.ts';
import type { Task } from '../hook/task.ts';
import type { AskVerdict } from '../hook/trigger.ts';
import type { RunCost } from '../runner/executor.ts';
import type { HookOutputs } from '../runner/workspace.ts';

/** One attempt at a task. */
export interface Run {
  /** A random UUID. */
  readonly id: string;
  readonly task: Task;
  /** The name of the queue that runs it; empty for a run outside the queues. */
  readonly queue: string;
  /** From 1. */
  readonly attempt: number;
}

/** The next attempt at `task`; its number follows from the failures of the task. */
export function newRun(task: Task, queue: string): Run {
  return { id: randomUUID(), task, queue, attempt: task.failures + 1 };
}

/** How a run ended. */
export type RunOutcome =
  | {
      readonly type: 'succeeded';
      readonly cost: RunCost;
      readonly applied: readonly AppliedOperation[];
      /** The response files of the hook. */
      readonly response?: HookResponse;
      /** What the hook decided about a request. */
      readonly verdict?: AskVerdict;
      readonly result?: HookResult;
    }
  | LaterRun
  | FailedRun
  /** It was ended for a newer run of its schedule. */
  | { readonly type: 'replaced'; readonly cost?: RunCost }
  /** The operator stops, the hook was changed or removed while it ran, or its objects moved to another replica. */
  | {
      readonly type: 'interrupted';
      readonly by: 'shutdown' | 'reload' | 'moved';
      readonly error: Error;
      readonly cost?: RunCost;
    };

/** A run whose work cannot be done yet. It is no failure: what the hook asked so far is carried out. */
export interface LaterRun {
  readonly type: 'later';
  readonly cost: RunCost;
  readonly applied: readonly AppliedOperation[];
  /** When the hook wants to run again; absent: after 30 s. */
  readonly retryAfterMs?: number;
  readonly result?: HookResult;
  /** Its hook was not started, since somebody else holds its lock. */
  readonly lockedOut?: LockedOut;
}

/** Why a run did not get its lock. */
export interface LockedOut {
  /** `namespace/name`. */
  readonly lock: string;
  /** Who holds it. */
  readonly message: string;
  /** How long the task waits for it at most; absent: as long as `later` may be said. */
  readonly limitMs?: number;
}

/** A run that failed, and may be run again. */
export interface FailedRun {
  readonly type: 'failed';
  /**
   * What is at fault: the hook, its output files, an operation that the API server refused, or the environment, such as
   * a lost process, a full disk, or an API server that is unavailable.
   */
  readonly by: 'hook' | 'output' | 'patch' | 'environment';
  readonly error: Error;
  readonly cost?: RunCost;
  /** How long the API server asked to wait, by `Retry-After`, or the hook by `retryAfter`. */
  readonly retryAfterMs?: number;
  /** Another attempt is useless until the input changes. Default false. */
  readonly isPermanent?: boolean;
  readonly result?: HookResult;
}

/** The response files of a hook as text; empty for a file that it did not write. */
export type HookResponse = Pick<HookOutputs, 'admission' | 'conversion'>;
