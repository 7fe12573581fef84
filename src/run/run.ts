import { randomUUID } from 'node:crypto';
import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { Task } from '../hook/task.ts';
import type { RunCost } from '../runner/executor.ts';
import type { HookOutputs } from '../runner/workspace.ts';

/** One attempt at a task. */
export interface Run {
  /** No two runs have the same. */
  readonly id: string;
  readonly task: Task;
  /** The queue that runs it; empty for a run beside the queues. */
  readonly queue: string;
  /** From 1. */
  readonly attempt: number;
}

export function newRun(task: Task, queue: string): Run {
  return { id: randomUUID(), task, queue, attempt: task.failures + 1 };
}

/** What became of a run. */
export type RunOutcome =
  | {
      readonly type: 'succeeded';
      readonly cost: RunCost;
      readonly applied: readonly AppliedOperation[];
      /** What the hook answered; absent where it was not asked. */
      readonly response?: HookResponse;
    }
  | FailedRun
  /** It was ended for a newer run of its schedule. */
  | { readonly type: 'replaced'; readonly cost?: RunCost }
  /** The operator stops, or the hook was changed or removed while it ran. */
  | {
      readonly type: 'interrupted';
      readonly by: 'shutdown' | 'reload';
      readonly error: Error;
      readonly cost?: RunCost;
    };

export interface FailedRun {
  readonly type: 'failed';
  /**
   * Who is to blame: the hook, what it wrote, the patches that the API server refused, or the environment: a lost
   * process, no room for files, an API server that is unavailable.
   */
  readonly by: 'hook' | 'output' | 'patch' | 'environment';
  readonly error: Error;
  readonly cost?: RunCost;
  /** How long the API server asked to wait. */
  readonly retryAfterMs?: number;
}

/** The response files of a hook as text; empty where it wrote none. */
export type HookResponse = Pick<HookOutputs, 'admission' | 'conversion'>;
