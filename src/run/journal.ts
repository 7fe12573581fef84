import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { PatchOperation } from '../effects/operation.ts';
import type { Task } from '../hook/task.ts';
import type { HookOutput, RunCost } from '../runner/executor.ts';
import type { Next } from './policy.ts';
import type { Run, RunOutcome } from './run.ts';

/** Something that happened to a task or a run. */
export type RunEvent =
  | { readonly type: 'queued'; readonly task: Task; readonly queue: string }
  /** A waiting task was taken out of its queue, and is never run. */
  | { readonly type: 'dropped'; readonly task: Task; readonly queue: string; readonly why: 'replaced' | 'gone' }
  | { readonly type: 'started'; readonly run: Run; readonly waitedMs: number }
  | { readonly type: 'output'; readonly run: Run; readonly output: HookOutput }
  /** The hook has ended, and nothing it wrote is applied yet. */
  | { readonly type: 'executed'; readonly run: Run; readonly cost: RunCost }
  | {
      readonly type: 'applied';
      readonly run: Run;
      readonly operation: PatchOperation;
      readonly applied: AppliedOperation;
    }
  /** What the run is worth a word about although it goes on. */
  | { readonly type: 'warned'; readonly run: Run; readonly warning: RunWarning }
  | { readonly type: 'ended'; readonly run: Run; readonly outcome: RunOutcome; readonly next: Next };

export type RunWarning =
  /** What the hook wrote is likely a mistake. */
  | { readonly type: 'likelyMistake'; readonly message: string }
  /** What counts of a failed run could not be applied. */
  | { readonly type: 'notApplied'; readonly what: 'patches' | 'metrics'; readonly error: unknown };

/** The one door for whatever is reported about runs. */
export interface RunJournal {
  record(event: RunEvent): void;
}

/** Hands every event to all subscribers, in their order. */
export function createJournal(subscribers: readonly RunJournal[]): RunJournal {
  return {
    record(event) {
      for (const subscriber of subscribers) subscriber.record(event);
    },
  };
}
