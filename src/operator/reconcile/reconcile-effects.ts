import { addFinalizer, removeFinalizer, type FinalizedObject } from '../../effects/finalizer.ts';
import type { AppliedOperation } from '../../effects/apply-operations.ts';
import type { Hook } from '../../hook/binding.ts';
import { finalizerOf, needsFinalizer } from '../../hook/reconcile-mark.ts';
import type { Condition, ContextResult } from '../../hook/result.ts';
import type { ReconcileTrigger } from '../../hook/trigger.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Kinds } from '../../kube/kind.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { Reconciling } from '../../run/reconciling.ts';
import type { FailedRun, Run, RunOutcome } from '../../run/run.ts';
import type { UnitReconciler } from '../../units/reconcilers.ts';
import type { ChildrenDoor, ChildWrite } from './children-door.ts';
import { failedCondition, succeededCondition } from './failed-condition.ts';
import {
  eventsOfProblems,
  failedReach,
  failureOfChildren,
  judged,
  withFailed,
  withReached,
  type ReachedContext,
} from './reached-outcome.ts';

export interface ReconcileEffectsOptions {
  readonly access: { readonly client: Pick<KubeClient, 'request'>; readonly kinds: Kinds };
  readonly reconcilerOf: (hook: Hook, trigger: ReconcileTrigger) => UnitReconciler | undefined;
  /** Absent: children are left as they are. */
  readonly children?: ChildrenDoor | undefined;
  readonly journal: RunJournal;
}

/** An object as it was when its run began. */
interface Started {
  readonly index: number;
  readonly trigger: ReconcileTrigger;
  readonly parent: FinalizedObject;
  readonly isFinalizing: boolean;
}

/** While children in other namespaces go, their deletion brings the object back sooner than this. */
const LEFT_AGAIN_MS = 5000;
const NO_ANSWER: ContextResult = { conditions: [], events: [] };
const NO_COST = { durationMs: 0, usage: {} };

/**
 * What is done for the objects of a reconcile binding around a run of its hook: finalizers, and the children.
 *
 * An object that needs a finalizer gets it before its hook is called the first time. While it is being deleted, its hook
 * is called until it says `finalized`, or not at all without `finalize`; then the children that are not deleted with it
 * are deleted here, and when none is left the finalizer is taken off.
 *
 * What must hold: a run that failed, or whose result could not be read, changes nothing but the condition `Ready` of its
 * objects. Nothing is written for an
 * object that is gone, or that was created anew while the run was under way.
 */
export function createReconciling(options: ReconcileEffectsOptions): Reconciling {
  const started = new WeakMap<Run, readonly Started[]>();
  return {
    async prepare(run, signal) {
      try {
        const ended = await prepareAll(run, options, signal);
        if (ended !== undefined) return ended;
        const all = startedOf(run, options);
        if (all.length === 0) return NOTHING;
        started.set(run, all);
        return undefined;
      } catch (error) {
        return failedReach(error);
      }
    },
    async finish(run, outcome, signal) {
      const all = started.get(run) ?? [];
      const writes = writing(run, options, signal);
      const there = all.filter((one) => isStillThere(one, run, options));
      if (outcome.type === 'failed') return withFailed(run, outcome, await failedAll(there, outcome, writes));
      if (!judged(outcome) || all.length === 0) return outcome;
      const reached: ReachedContext[] = [];
      for (const one of there) {
        const answer = outcome.result?.contexts.get(one.index) ?? outcome.result ?? NO_ANSWER;
        if (isFailure(answer)) reached.push(await failedOne(one, answer, writes));
        else reached.push(await reach(one, { answer, isDone: isDone(outcome, answer) }, writes));
      }
      return withReached(run, outcome, reached);
    },
  };
}

interface Writing extends ReconcileEffectsOptions {
  readonly run: Run;
  readonly signal: AbortSignal;
}

function writing(run: Run, options: ReconcileEffectsOptions, signal: AbortSignal): Writing {
  return { ...options, run, signal };
}

/** Returns an outcome when no object of the run is left to run the hook for. */
async function prepareAll(
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

const NOTHING = { type: 'succeeded', cost: NO_COST, applied: [] } as const;

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

function startedOf(run: Run, { reconcilerOf }: ReconcileEffectsOptions): readonly Started[] {
  return run.task.triggers.flatMap((trigger, index): readonly Started[] => {
    if (trigger.type !== 'reconcile') return [];
    const facts = reconcilerOf(run.task.hook, trigger)?.facts(trigger);
    if (facts === undefined) return [];
    return [{ index, trigger, parent: parentOf(trigger, facts.uid), isFinalizing: facts.isDeleting }];
  });
}

function isStillThere({ trigger, parent }: Started, run: Run, { reconcilerOf }: ReconcileEffectsOptions): boolean {
  return reconcilerOf(run.task.hook, trigger)?.facts(trigger)?.uid === parent.uid;
}

function parentOf({ binding, namespace, name }: ReconcileTrigger, uid: string): FinalizedObject {
  const { apiVersion = 'v1', kind } = binding;
  return { apiVersion, kind, namespace, name, uid };
}

interface Answered {
  readonly answer: ContextResult;
  /** Whether the hook says that its work on the object is done. */
  readonly isDone: boolean;
}

async function reach(one: Started, { answer, isDone: done }: Answered, options: Writing): Promise<ReachedContext> {
  try {
    // What is made now would be deleted with its parent.
    const isFinalized = one.isFinalizing && done && answer.finalized === true;
    return await (isFinalized ? collect(one, options) : reachChildren(one, { answer, isDone: done }, options));
  } catch (error) {
    return { index: one.index, applied: [], failure: failedReach(error) };
  }
}

async function reachChildren(
  one: Started,
  { answer, isDone: done }: Answered,
  options: Writing,
): Promise<ReachedContext> {
  const { index, trigger, parent } = one;
  const { children, signal } = options;
  const { children: desired } = answer;
  if (desired === undefined || children === undefined)
    return done ? succeededOne(one, options) : { index, applied: [] };
  const request = { binding: trigger.binding, parent, live: liveOf(one, options), desired, prunes: done };
  const { writes, problems, ready, restMs } = await children.reach(request, signal);
  if (restMs > 0) options.reconcilerOf(options.run.task.hook, trigger)?.rest(trigger, restMs);
  const applied = record(writes, options);
  const failure = failureOfChildren(parent, problems);
  const events = eventsOfProblems(problems);
  return { index, applied, events, ...(failure && { failure }), ...(await readyOf(one, ready, options)) };
}

/** Takes back what was said of a failure, where no children say anything else. */
async function succeededOne(one: Started, options: Writing): Promise<ReachedContext> {
  const { index, trigger } = one;
  const ready = succeededCondition(options.reconcilerOf(options.run.task.hook, trigger)?.view(trigger)?.object);
  return ready === undefined ? { index, applied: [] } : tell(one, ready, options);
}

/** What the objects of a run that failed are told; nothing where the API server is away, or hooklet is at fault. */
async function failedAll(
  all: readonly Started[],
  outcome: FailedRun,
  options: Writing,
): Promise<readonly ReachedContext[]> {
  if (outcome.by === 'environment') return [];
  const { result, isPermanent = false } = outcome;
  const told: ReachedContext[] = [];
  for (const one of all) {
    const said = result?.contexts.get(one.index) ?? result;
    told.push(
      await tell(
        one,
        failedCondition({ said, run: outcome, isPermanent: isPermanent || said?.outcome === 'permanent' }),
        options,
      ),
    );
  }
  return told;
}

async function failedOne(one: Started, said: ContextResult, options: Writing): Promise<ReachedContext> {
  return tell(one, failedCondition({ said, isPermanent: said.outcome === 'permanent' }), options);
}

async function tell(one: Started, ready: Condition, options: Writing): Promise<ReachedContext> {
  const none = { index: one.index, applied: [] };
  try {
    return { ...none, ...(await readyOf(one, ready, options)) };
  } catch {
    return none;
  }
}

/** The condition, for a kind that has a status. */
async function readyOf(
  { parent }: Started,
  ready: Condition,
  { access, signal }: Writing,
): Promise<Pick<ReachedContext, 'ready'>> {
  const { subresources } = await access.kinds.resolve(parent, signal);
  return subresources.includes('status') ? { ready } : {};
}

/** Deletes what is not deleted with its parent; when nothing of it is left, takes the finalizer off. */
async function collect(one: Started, options: Writing): Promise<ReachedContext> {
  const { index, trigger, parent } = one;
  const { binding } = trigger;
  const request = { binding, parent, live: liveOf(one, options) };
  const removed = await options.children?.remove(request, options.signal);
  const applied = record(removed?.writes ?? [], options);
  const failure = failureOfChildren(parent, removed?.problems ?? []);
  if (failure !== undefined) return { index, applied, failure };
  if (removed !== undefined && removed.left.length > 0) return { index, applied, again: LEFT_AGAIN_MS };
  await removeFinalizer(parent, finalizerOf(binding), session(options));
  return { index, applied };
}

function liveOf({ trigger }: Started, { reconcilerOf, run }: Writing): readonly Uint8Array[] {
  return reconcilerOf(run.task.hook, trigger)?.children(trigger) ?? [];
}

function session({ access, signal }: Writing): Parameters<typeof addFinalizer>[2] {
  return { client: access.client, kinds: access.kinds, signal };
}

function record(writes: readonly ChildWrite[], { run, journal }: Writing): readonly AppliedOperation[] {
  for (const { operation, applied } of writes) journal.record({ type: 'applied', run, operation, applied });
  return writes.map(({ applied }) => applied);
}

function isFailure({ outcome }: ContextResult): boolean {
  return outcome === 'failed' || outcome === 'permanent';
}

function isDone(outcome: RunOutcome, { outcome: said }: ContextResult): boolean {
  return outcome.type === 'succeeded' && said !== 'later';
}
