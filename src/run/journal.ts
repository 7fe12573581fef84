import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { PatchOperation } from '../effects/operation.ts';
import type { Task } from '../hook/task.ts';
import type { ReconcileTrigger } from '../hook/trigger.ts';
import type { HookOutput, RunCost } from '../runner/executor.ts';
import type { Next } from './policy.ts';
import type { Run, RunOutcome } from './run.ts';

/** Something that happened to a task or a run. */
export type RunEvent =
  | { readonly type: 'queued'; readonly task: Task; readonly queue: string }
  /** A waiting task was removed from its queue without a run; `moved` with its objects to another replica. */
  | {
      readonly type: 'dropped';
      readonly task: Task;
      readonly queue: string;
      readonly why: 'replaced' | 'gone' | 'moved';
    }
  | { readonly type: 'started'; readonly run: Run; readonly waitedMs: number }
  /** A Reconcile context of the run shows this object, as JSON text. */
  | { readonly type: 'seen'; readonly run: Run; readonly trigger: ReconcileTrigger; readonly object: Uint8Array }
  | { readonly type: 'output'; readonly run: Run; readonly output: HookOutput }
  /** The hook has ended, and nothing it wrote is applied yet. */
  | { readonly type: 'executed'; readonly run: Run; readonly cost: RunCost }
  | {
      readonly type: 'applied';
      readonly run: Run;
      readonly operation: PatchOperation;
      readonly applied: AppliedOperation;
    }
  /** A problem that does not change the outcome of the run. */
  | { readonly type: 'warned'; readonly run: Run; readonly warning: RunWarning }
  /** `outcome` and `next` are those of the run as a whole; `parts` has what becomes of its triggers. */
  | {
      readonly type: 'ended';
      readonly run: Run;
      readonly outcome: RunOutcome;
      readonly next: Next;
      readonly parts: readonly [EndedPart, ...EndedPart[]];
    };

/**
 * Triggers of a run with one outcome: all of them, unless the hook's result names contexts. Each trigger of the run's
 * task is in exactly one part.
 */
export interface EndedPart {
  readonly task: Task;
  readonly outcome: RunOutcome;
  readonly next: Next;
}

/** The event of a run that ended the same way for all its triggers. */
export function endedWhole(run: Run, outcome: RunOutcome, next: Next): RunEvent {
  return { type: 'ended', run, outcome, next, parts: [{ task: run.task, outcome, next }] };
}

/** A problem for the log. */
export type RunWarning =
  /** Something in the output files is valid, but likely a mistake. */
  | { readonly type: 'likelyMistake'; readonly message: string }
  /** The operations or metrics with `ignoreHookError` of a failed run could not be applied, or its result not be read. */
  | { readonly type: 'notApplied'; readonly what: 'patches' | 'metrics' | 'result'; readonly error: unknown }
  /** The conditions, the status or the Events of a result could not be written. */
  | { readonly type: 'notReported'; readonly error: unknown };

/** Receives everything that is reported about tasks and runs; must not throw. */
export interface RunJournal {
  record(event: RunEvent): void;
}

/** A journal that passes each event to all subscribers, in order. */
export function createJournal(subscribers: readonly RunJournal[]): RunJournal {
  return {
    record(event) {
      for (const subscriber of subscribers) subscriber.record(event);
    },
  };
}
