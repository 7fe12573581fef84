import type { HookResult } from '../hook/result.ts';
import type { Run, RunOutcome } from './run.ts';

/** What a run for objects of a reconcile binding does before and after its hook. */
export interface Reconciling {
  /**
   * Puts the finalizers on. Returns an outcome where there is nothing to run: the object is gone, or is being deleted
   * and its hook does not finalize. Called once for each run, right before its contexts are read; never rejects.
   */
  prepare(run: Run, signal: AbortSignal): Promise<RunOutcome | undefined>;
  /**
   * Writes the states that the result of the hook says are to be kept with the objects, each only if nobody has changed
   * it since the run began. Called before anything else of the run is applied; rejects with `StateChangedError`, or with
   * `PatchError` where a state cannot be written.
   */
  keep?(run: Run, result: HookResult, signal: AbortSignal): Promise<void>;
  /**
   * Makes what the result of the hook says should be there, and takes the finalizers off. Returns the outcome with what
   * came of that: worse than before where something could not be written, with conditions of the children in the
   * result. Called with the outcome of the hook, before conditions and status are written; never rejects.
   */
  finish(run: Run, outcome: RunOutcome, signal: AbortSignal): Promise<RunOutcome>;
}
