import type { Condition, ContextResult } from '../../hook/result.ts';
import type { Reconciling } from '../../run/reconciling.ts';
import type { FailedRun, Run, RunOutcome } from '../../run/run.ts';
import type { ReconcileTrigger } from '../../hook/trigger.ts';
import type { ParentFacts } from '../../sources/reconcile/part-filters.ts';
import type { Reached } from './children-door.ts';
import { failedCondition, succeededCondition } from './failed-condition.ts';
import { collect, NOTHING, prepareAll } from './finalizers.ts';
import { keepStates, type WrittenState } from './keep-states.ts';
import { toldOf, waitingOf } from './told-of.ts';
import {
  eventsOfProblems,
  failedReach,
  failureOfChildren,
  isFailure,
  judged,
  withFailed,
  withReached,
  type ReachedContext,
} from './reached-outcome.ts';
import { StatePace } from './state-pace.ts';
import {
  isStillThere,
  liveOf,
  record,
  startedOf,
  writing,
  type ReconcileEffectsOptions,
  type Started,
  type Writing,
} from './started.ts';

const NO_ANSWER: ContextResult = { conditions: [], events: [] };

/**
 * What is done for the objects of a reconcile binding around a run of its hook: the finalizers (`finalizers.ts`), the
 * children, and the condition `Ready`.
 *
 * What must hold: a run that failed, or whose result could not be read, changes nothing but the condition `Ready` of its
 * objects. Nothing is written for an object that is gone, or that was created anew while the run was under way.
 */
export function createReconciling(options: ReconcileEffectsOptions): Reconciling {
  const started = new WeakMap<Run, readonly Started[]>();
  const kept = new WeakMap<Run, readonly WrittenState[]>();
  const pace = new StatePace(Date.now);
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
    async keep(run, result, signal) {
      const all = started.get(run) ?? [];
      const written = await keepStates(all, result, writing(run, options, signal));
      kept.set(run, written);
      for (const { one } of written) slowDown(one, run, { ...options, pace });
    },
    async finish(run, outcome, signal) {
      const writes = writing(run, options, signal);
      const finished = await finishRun(run, outcome, { all: started.get(run) ?? [], writes });
      // The next run of the object is to see what this one has kept.
      for (const { one, kept: digest } of kept.get(run) ?? []) {
        const isShown = (facts: ParentFacts | undefined): boolean =>
          facts?.uid !== one.parent.uid || facts.kept === digest;
        await options.reconcilerOf(run.task.hook, one.trigger)?.shows(one.trigger, isShown, signal);
      }
      return finished;
    },
  };
}

function slowDown(
  { trigger, parent }: Started,
  run: Run,
  { pace, journal, reconcilerOf }: ReconcileEffectsOptions & { readonly pace: StatePace },
): void {
  const { kind, namespace, name, uid } = parent;
  const rush = pace.note(`${trigger.binding.name} ${uid}`);
  if (rush === undefined) return;
  reconcilerOf(run.task.hook, trigger)?.rest(trigger, rush.delayMs);
  if (!rush.isNew) return;
  const where = namespace === '' ? name : `${namespace}/${name}`;
  const message = `the state of ${kind} ${where} has changed ${rush.changes} times, each soon after the one before, so the object is looked at less often; a state is for what differs only when a step is done, not for the time`;
  journal.record({ type: 'warned', run, warning: { type: 'likelyMistake', message } });
}

interface Finishing {
  readonly all: readonly Started[];
  readonly writes: Writing;
}

async function finishRun(run: Run, outcome: RunOutcome, { all, writes }: Finishing): Promise<RunOutcome> {
  const there = all.filter((one) => isStillThere(one, run, writes));
  if (outcome.type === 'failed') return withFailed(run, outcome, await failedAll(there, outcome, writes));
  if (!judged(outcome) || all.length === 0) return outcome;
  const reached: ReachedContext[] = [];
  for (const one of there) {
    const answer = outcome.result?.contexts.get(one.index) ?? outcome.result ?? NO_ANSWER;
    const waiting = waitingOf(one, answer, writes);
    const found = await finishOne(one, { answer, isDone: isDone(outcome, answer) }, writes);
    reached.push(waiting.length === 0 ? found : { ...found, events: [...waiting, ...(found.events ?? [])] });
  }
  return withReached(run, outcome, reached);
}

async function finishOne(one: Started, answered: Answered, writes: Writing): Promise<ReachedContext> {
  const { answer } = answered;
  return isFailure(answer) ? failedOne(one, answer, writes) : reach(one, answered, writes);
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
    return done && answer.refused === undefined ? succeededOne(one, options) : { index, applied: [] };
  const request = { binding: trigger.binding, parent, live: liveOf(one, options), desired, prunes: done };
  const { writes, problems, ready } = await watchedReach(trigger, async () => children.reach(request, signal), options);
  const applied = record(writes, options);
  const failure = failureOfChildren(parent, problems);
  const events = eventsOfProblems(problems);
  return { index, applied, events, ...(failure && { failure }), ...(await readyOf(one, ready, options)) };
}

/** Reaches the desired state, then reports to the reconciler which children exist and how long the object must wait. */
async function watchedReach(
  trigger: ReconcileTrigger,
  reach: () => Promise<Reached>,
  { run, reconcilerOf }: Writing,
): Promise<Reached> {
  const reconciler = reconcilerOf(run.task.hook, trigger);
  const lists = reconciler?.childLists ?? 0;
  const reached = await reach();
  reconciler?.made(trigger, reached.there, lists);
  if (reached.restMs > 0) reconciler?.rest(trigger, reached.restMs);
  return reached;
}

/** Takes back the condition of an earlier failure, for an object whose condition does not depend on children. */
async function succeededOne(one: Started, options: Writing): Promise<ReachedContext> {
  const { index, trigger } = one;
  const object = options.reconcilerOf(options.run.task.hook, trigger)?.view(trigger)?.object;
  const ready = succeededCondition(object, () => toldOf(one, options).told);
  return ready === undefined ? { index, applied: [] } : withReady(one, ready, options);
}

/** The condition `Ready` of each object of a run that failed; none where the API server is away, or hooklet is at fault. */
async function failedAll(
  all: readonly Started[],
  outcome: FailedRun,
  options: Writing,
): Promise<readonly ReachedContext[]> {
  if (outcome.by === 'environment') return [];
  const { result, isPermanent = false } = outcome;
  const reached: ReachedContext[] = [];
  for (const one of all) {
    const said = result?.contexts.get(one.index) ?? result;
    reached.push(
      await withReady(
        one,
        failedCondition({ said, run: outcome, isPermanent: isPermanent || said?.outcome === 'permanent' }),
        options,
      ),
    );
  }
  return reached;
}

async function failedOne(one: Started, said: ContextResult, options: Writing): Promise<ReachedContext> {
  return withReady(one, failedCondition({ said, isPermanent: said.outcome === 'permanent' }), options);
}

async function withReady(one: Started, ready: Condition, options: Writing): Promise<ReachedContext> {
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

function isDone(outcome: RunOutcome, { outcome: said }: ContextResult): boolean {
  return outcome.type === 'succeeded' && said !== 'later';
}
