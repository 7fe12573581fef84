import type { ReconcileBinding } from '../../hook/binding.ts';
import type { DesiredChild } from '../../hook/result.ts';
import { readAnswer } from './answer.ts';
import { dryRun } from './dry-run.ts';
import { numbered, type ChildSession, type ChildWrite } from './child-requests.ts';
import type { WantedChild } from './desired.ts';
import { isOurs, keyOf, nameOfChild, type LiveChild, type Named } from './live-child.ts';
import { marksOf, type Marks, type Parent } from './marks.ts';
import { Pass } from './pass.ts';
import { planSteps, unwanted, type ChildState, type Step } from './plan.ts';
import type { ChildProblem } from './problem.ts';
import type { Readiness } from './readiness.ts';

/**
 * Makes the children of an object what the hook's answer says: the door of this folder, called once for each Reconcile
 * whose answer has children.
 *
 * The way of an answer: it is checked as a whole (`desired.ts`); with a problem in it nothing is written. What is there
 * is compared with it, without requests (`differs.ts`), and each child gets a step (`plan.ts`). When the pass may
 * delete something, the API server is asked by dry run whether it would take all of it (`dry-run.ts`); when it would
 * not, nothing is written. Then what is missing or differs is written, round by round, as far as `after` lets it
 * (`pass.ts`). Last, what is no longer wanted is deleted, but only when all that is wanted is there.
 *
 * What must hold: only children of this parent, made by this binding, are changed or deleted. When nothing differs, no
 * request is sent.
 */

/** An answer, and what is there. */
export interface DesiredStateRequest {
  readonly binding: Pick<ReconcileBinding, 'name' | 'owns'>;
  readonly parent: Parent;
  /** What a watch of the binding's children shows of this parent; more does no harm. */
  readonly live: readonly LiveChild[];
  readonly desired: readonly DesiredChild[];
  /** Whether what is no longer wanted is deleted; default true. */
  readonly prunes?: boolean;
}

/** What was done, and how far the children are. */
export interface DesiredStateOutcome {
  readonly applied: readonly ChildWrite[];
  readonly problems: readonly ChildProblem[];
  /** The children that are not written yet, because others are not ready or gone. */
  readonly waiting: readonly string[];
  /** The wanted children that are there, and are ours. */
  readonly there: readonly Named[];
  /** One for each wanted child, in the order of the answer. */
  readonly children: readonly ChildStatus[];
}

/** How far one wanted child is. */
export interface ChildStatus {
  /** `Deployment/web`. */
  readonly child: string;
  readonly state: Readiness['state'] | 'absent';
  readonly reason: string;
  readonly message: string;
  /** Whether it is there in the form that is wanted now. */
  readonly isCurrent: boolean;
  /** The children that hold it back. */
  readonly waitsFor?: readonly string[];
}

/** Rejects only when the kinds cannot be looked up; what goes wrong with single children is in the outcome. */
export async function reachDesiredState(
  request: DesiredStateRequest,
  session: ChildSession,
): Promise<DesiredStateOutcome> {
  const { binding, parent, prunes = true } = request;
  const marks = marksOf(binding.name, parent);
  const { wanted, problems } = await readAnswer(request, session);
  if (problems.some(({ type }) => type === 'invalid'))
    return { applied: [], problems, waiting: [], there: [], children: [] };
  const pass = new Pass(session, { marks, parent, states: statesOf(wanted, { ...request, marks, session }) });
  pass.problems.push(...problems);
  await run(pass, ownedOf(request, marks), { wanted, prunes });
  return outcomeOf(pass);
}

interface Goal {
  readonly wanted: readonly WantedChild[];
  readonly prunes: boolean;
}

async function run(pass: Pass, live: readonly LiveChild[], { wanted, prunes }: Goal): Promise<void> {
  const keys = new Set(wanted.map(({ key }) => key));
  const doomed = unwanted(live, (child) => keys.has(keyOf(child)));
  if (mayDelete(pass.states, prunes ? doomed : [])) {
    const refusals = await dryRun(pass);
    pass.problems.push(...refusals);
    if (refusals.length > 0) return;
  }
  await pass.write();
  if (prunes && pass.problems.length === 0 && isAllThere(pass.states)) await pass.remove(doomed);
  else pass.holdBack(doomed.flat());
}

/** Whether this pass may delete something: not while all that is left waits for others. */
function mayDelete(states: readonly ChildState[], doomed: readonly (readonly LiveChild[])[]): boolean {
  const hasWork = planSteps(states).some(({ type }) => type === 'create' || type === 'apply' || type === 'recreate');
  if (!hasWork) return doomed.length > 0 && isAllThere(states);
  return doomed.length > 0 || states.some(isRemade);
}

function isRemade({ wanted, live, isOurs: own, differs }: ChildState): boolean {
  const isDeletedFirst = wanted.onChange === 'Recreate' || wanted.onChange === 'RollingRecreate';
  return isDeletedFirst && own && live?.isDeleting === false && differs;
}

function isAllThere(states: readonly ChildState[]): boolean {
  return states.every(({ live }) => live?.isDeleting === false);
}

interface Basis extends DesiredStateRequest {
  readonly marks: Marks;
  readonly session: ChildSession;
}

function statesOf(wanted: readonly WantedChild[], { live, parent, marks, session }: Basis): ChildState[] {
  const byKey = new Map(live.map((child) => [keyOf(child), child]));
  return wanted.map((one): ChildState => {
    const child = byKey.get(one.key);
    if (child === undefined) return { wanted: one, isOurs: false, differs: false, hasFailed: false };
    const differs = session.tolerance.differences(child, one).length > 0;
    return { wanted: one, live: child, isOurs: isOurs(child, parent, marks), differs, hasFailed: false };
  });
}

function ownedOf({ live, parent }: DesiredStateRequest, marks: Marks): readonly LiveChild[] {
  return live.filter((child) => isOurs(child, parent, marks));
}

function outcomeOf(pass: Pass): DesiredStateOutcome {
  const steps = planSteps(pass.states);
  const labelled = pass.states.map((state, place) => ({ state, step: steps[place] }));
  return {
    applied: pass.writes.map((written, at) => numbered(written, at + 1)),
    problems: pass.problems,
    waiting: [
      ...labelled.filter(({ state, step }) => isWaiting(state, step)).map(({ state }) => state.wanted.label),
      ...pass.heldBack.map((child) => nameOfChild(child, pass.parent)),
    ],
    there: pass.states.flatMap(({ live, isOurs: own }) => (own && live?.isDeleting === false ? [live] : [])),
    children: labelled.map(({ state, step }) => ({
      ...statusOf(state),
      ...(step?.type === 'blocked' && { waitsFor: step.by }),
    })),
  };
}

function isWaiting({ hasFailed }: ChildState, step: Step | undefined): boolean {
  return !hasFailed && (step?.type === 'wait' || step?.type === 'blocked' || step?.type === 'create');
}

function statusOf({ wanted, live, isOurs: own, differs }: ChildState): ChildStatus {
  const child = wanted.label;
  if (live === undefined)
    return { child, state: 'absent', reason: 'Absent', message: 'is not there', isCurrent: false };
  if (!own) return { child, state: 'absent', reason: 'NameTaken', message: 'its name is taken', isCurrent: false };
  return { child, ...live.readiness, isCurrent: !differs && !live.isDeleting };
}
