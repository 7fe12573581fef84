import type { AppliedOperation } from '../../effects/apply-operations.ts';
import type { ChildProblem } from '../../effects/children/problem.ts';
import type { FinalizedObject } from '../../effects/finalizer.ts';
import type { PatchOperation } from '../../effects/operation.ts';
import type { ReconcileBinding } from '../../hook/binding.ts';
import type { Condition, DesiredChild } from '../../hook/result.ts';
import type { MadeChild } from '../../sources/reconcile/made-children.ts';

/** Writes and deletes the children of an object. */
export interface ChildrenDoor {
  /** Makes the children what an answer says; rejects only when the kinds cannot be looked up. */
  reach(request: ReachRequest, signal: AbortSignal): Promise<Reached>;
  /** Deletes the children that are not deleted with their parent; called again until none is left. */
  remove(request: ChildrenRequest, signal: AbortSignal): Promise<Removed>;
}

/** The children of one object. */
export interface ChildrenRequest {
  readonly binding: ReconcileBinding;
  readonly parent: FinalizedObject;
  /** What the watches of the children show, as JSON in UTF-8. */
  readonly live: readonly Uint8Array[];
}

export interface ReachRequest extends ChildrenRequest {
  readonly desired: readonly DesiredChild[];
  /** Whether what is no longer wanted is deleted: not while the hook says that its work is not done yet. */
  readonly prunes: boolean;
}

/** What was done. */
export interface Reached {
  readonly writes: readonly ChildWrite[];
  /** The wanted children that are there, and are ours. */
  readonly there: readonly MadeChild[];
  readonly problems: readonly ChildProblem[];
  /** Whether all children are there and ready. */
  readonly ready: Condition;
  /** How long the object should not be looked at, because its children are written again and again; 0: not at all. */
  readonly restMs: number;
}

export interface Removed {
  readonly writes: readonly ChildWrite[];
  readonly problems: readonly ChildProblem[];
  /** The children that are still there. */
  readonly left: readonly string[];
}

/** One write, in the terms of patch operations. */
export interface ChildWrite {
  readonly operation: PatchOperation;
  readonly applied: AppliedOperation;
}
