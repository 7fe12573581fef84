/*
 * The finalizers of the objects of reconcile bindings. An object that needs one gets it before its hook is called the
 * first time. While the object is being deleted, the hook is called until it says `finalized`, or not at all without
 * `finalize`; then the children that are not deleted with it are deleted here, and when none is left the finalizer is
 * taken off.
 */

import { addFinalizer, removeFinalizer } from '../../effects/finalizer.ts';
import { finalizerOf, needsFinalizer } from '../../hook/reconcile-mark.ts';
import type { Run, RunOutcome } from '../../run/run.ts';
import { failureOfChildren, type ReachedContext } from './reached-outcome.ts';
import {
  liveOf,
  parentOf,
  record,
  session,
  writing,
  type ReconcileEffectsOptions,
  type Started,
  type Writing,
} from './started.ts';

/** While children in other namespaces go, their deletion brings the object back sooner than this. */
const LEFT_AGAIN_MS = 5000;
const NO_COST = { durationMs: 0, usage: {} };

/** The outcome of a run that had nothing to do. */
export const NOTHING = { type: 'succeeded', cost: NO_COST, applied: [] } as const;

/** Returns an outcome when no object of the run is left to run the hook for. */
export async function prepareAll(
  run: Run,
  options: ReconcileEffectsOptions,
  signal: AbortSignal,
): Promise<RunOutcome | undefined> {
  const outcomes: RunOutcome[] = [];
  let isNeeded = false;
  for (const [index, trigger] of run.task.triggers.entries()) {
    if (trigger.type !== 'reconcile') return undefined;
    const outcome = await prepareOne({ index, trigger }, writing(run, options, signal));
    if (outcome === undefined) isNeeded = true;
    else outcomes.push(outcome);
  }
  return isNeeded ? undefined : (outcomes.find(({ type }) => type !== 'succeeded') ?? outcomes[0]);
}

async function prepareOne(
  { index, trigger }: Pick<Started, 'index' | 'trigger'>,
  options: Writing,
): Promise<RunOutcome | undefined> {
  const { binding } = trigger;
  const facts = options.reconcilerOf(options.run.task.hook, trigger)?.facts(trigger);
  if (facts === undefined || (facts.isDeleting && !facts.isMarked)) return NOTHING;
  const parent = parentOf(trigger, facts.uid);
  if (facts.isDeleting) {
    return binding.finalize ? undefined : collectAlone({ index, trigger, parent, isFinalizing: true }, options);
  }
  if (!needsFinalizer(binding) || facts.isMarked) return undefined;
  const isThere = await addFinalizer(parent, finalizerOf(binding), session(options));
  return isThere ? undefined : NOTHING;
}

/** What a run does for an object that is being deleted, and whose hook has no say in it. */
async function collectAlone(one: Started, options: Writing): Promise<RunOutcome> {
  const { applied, failure, again } = await collect(one, options);
  if (failure !== undefined) return failure;
  if (again === undefined) return { ...NOTHING, applied };
  return { type: 'later', cost: NO_COST, applied, retryAfterMs: again };
}

/** Deletes what is not deleted with its parent; when nothing of it is left, takes the finalizer off. */
export async function collect(one: Started, options: Writing): Promise<ReachedContext> {
  const { index, trigger, parent } = one;
  const { binding } = trigger;
  const request = { binding, parent, live: liveOf(one, options) };
  const removed = await options.children?.remove(request, options.signal);
  const applied = record(removed?.writes ?? [], options);
  const failure = failureOfChildren(parent, removed?.problems ?? []);
  if (failure !== undefined) return { index, applied, failure };
  if (removed !== undefined && removed.left.length > 0) return { index, applied, again: LEFT_AGAIN_MS };
  await removeFinalizer(parent, finalizerOf(binding), session(options));
  options.reconcilerOf(options.run.task.hook, trigger)?.letGo(trigger, parent.uid);
  return { index, applied };
}
