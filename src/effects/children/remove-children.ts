import type { ReconcileBinding } from '../../hook/binding.ts';
import { numbered, type ChildSession, type ChildWrite } from './child-requests.ts';
import { isOurs, keyOf, nameOfChild, type LiveChild } from './live-child.ts';
import { canReference, marksOf, type Parent } from './marks.ts';
import { Pass } from './pass.ts';
import { unwanted } from './plan.ts';
import type { ChildProblem } from './problem.ts';

export interface RemovalRequest {
  readonly binding: Pick<ReconcileBinding, 'name'>;
  readonly parent: Parent;
  readonly live: readonly LiveChild[];
}

export interface RemovalOutcome {
  readonly applied: readonly ChildWrite[];
  readonly problems: readonly ChildProblem[];
  /** The children that are still there; the parent's finalizer stays until there is none. */
  readonly left: readonly string[];
}

/**
 * Deletes the children that are not deleted with their parent, because they cannot have an owner reference to it. It is
 * called when the parent is being deleted, again and again until none is left.
 */
export async function removeChildren(request: RemovalRequest, session: ChildSession): Promise<RemovalOutcome> {
  const { binding, parent, live } = request;
  const marks = marksOf(binding.name, parent);
  const orphans = live.filter((child) => isOurs(child, parent, marks) && !canReference(parent, child.namespace));
  const pass = new Pass(session, { marks, parent, states: [] });
  await pass.remove(unwanted(orphans, () => false));
  const isGone = new Set(pass.writes.filter(({ live: rest }) => rest === undefined).map(({ key }) => key));
  return {
    applied: pass.writes.map((written, at) => numbered(written, at + 1)),
    problems: pass.problems,
    left: orphans.filter((child) => !isGone.has(keyOf(child))).map((child) => nameOfChild(child, parent)),
  };
}
