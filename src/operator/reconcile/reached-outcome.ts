import type { AppliedOperation } from '../../effects/apply-operations.ts';
import type { ChildProblem } from '../../effects/children/problem.ts';
import type { FinalizedObject } from '../../effects/finalizer.ts';
import { HookOutputError, KubeError, PatchError } from '../../errors.ts';
import type { Condition, ContextResult, HookResult, ResultEvent } from '../../hook/result.ts';
import { failureOf } from '../../run/attempt.ts';
import type { FailedRun, LaterRun, Run, RunOutcome } from '../../run/run.ts';

/** What came of the answer for one context. */
export interface ReachedContext {
  readonly index: number;
  readonly applied: readonly AppliedOperation[];
  /** Whether all children are there and ready, as the condition `Ready`; absent: the condition is not written. */
  readonly ready?: Condition | undefined;
  /** Events about the object. */
  readonly events?: readonly ResultEvent[];
  readonly failure?: FailedRun;
  /** The object is to be looked at again after this time, in milliseconds: something of it is not gone yet. */
  readonly again?: number;
}

/** An outcome of a run whose result counts. */
export type JudgedOutcome = Extract<RunOutcome, { readonly type: 'succeeded' }> | LaterRun;

/** Whether the result of a run counts. */
export function judged(outcome: RunOutcome): outcome is JudgedOutcome {
  return outcome.type === 'succeeded' || outcome.type === 'later';
}

/**
 * The outcome of a run after its answers were carried out. What failed for one of several objects fails for that one
 * alone: its context has the outcome `failed` in the result.
 */
export function withReached(run: Run, outcome: JudgedOutcome, reached: readonly ReachedContext[]): RunOutcome {
  const applied = [...outcome.applied, ...reached.flatMap((one) => one.applied)];
  const [only] = reached;
  const given = outcome.result ?? (reached.some(saysMore) ? NO_RESULT : undefined);
  if (run.task.triggers.length > 1 || only === undefined) {
    return { ...outcome, applied, ...(given && { result: withContexts(given, reached) }) };
  }
  const result = given && withOnly(given, only);
  const said = result === undefined ? {} : { result };
  if (only.failure !== undefined) return { ...only.failure, cost: outcome.cost, ...said };
  if (only.again === undefined) return { ...outcome, applied, ...said };
  return { type: 'later', cost: outcome.cost, applied, retryAfterMs: only.again, ...said };
}

/** The outcome of a run that failed, with the conditions of its objects in its result, which says nothing new of it. */
export function withFailed(run: Run, outcome: FailedRun, told: readonly ReachedContext[]): FailedRun {
  const shown = told.filter(({ ready }) => ready !== undefined);
  const [only] = shown;
  if (only === undefined) return outcome;
  const result = outcome.result ?? NO_RESULT;
  if (run.task.triggers.length === 1) return { ...outcome, result: withOnly(result, only) };
  // Only what is shown is added, so that the contexts stay one part of the run.
  const contexts = new Map(result.contexts);
  for (const one of shown) contexts.set(one.index, withReady(contexts.get(one.index) ?? NO_ANSWER, one));
  return { ...outcome, result: { ...result, contexts } };
}

function saysMore({ ready, events = [] }: ReachedContext): boolean {
  return ready !== undefined || events.length > 0;
}

/** Whether a hook says of one context that it failed. */
export function isFailure({ outcome }: Pick<ContextResult, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'permanent';
}

const NO_ANSWER: ContextResult = { conditions: [], events: [] };
const NO_RESULT: HookResult = { ...NO_ANSWER, contexts: new Map() };

/** Why the children of an object could not be made what they should be; undefined when nothing went wrong. */
export function failureOfChildren(
  { kind, namespace, name }: FinalizedObject,
  problems: readonly ChildProblem[],
): FailedRun | undefined {
  if (problems.length === 0) return undefined;
  const lines = problems.slice(0, MAX_SHOWN).map(({ child, message }) => `\n  ${child}: ${message}`);
  const more = problems.length > MAX_SHOWN ? `\n  and ${problems.length - MAX_SHOWN} more` : '';
  const where = namespace === '' ? name : `${namespace}/${name}`;
  const text = `${problems.length} problem(s) with children of ${kind} ${where}:${lines.join('')}${more}`;
  const types = new Set(problems.map(({ type }) => type));
  if (types.has('invalid')) return { type: 'failed', by: 'output', error: new HookOutputError(text) };
  const isTransient = problems.every(({ type }) => type === 'lost' || type === 'changed');
  return { type: 'failed', by: isTransient ? 'environment' : 'patch', error: new PatchError(text) };
}

/** The failure of a request that was made around a run. */
export function failedReach(error: unknown): FailedRun {
  if (!(error instanceof KubeError)) return failureOf(error);
  return failureOf(new PatchError(error.message, { cause: error }));
}

const MAX_SHOWN = 20;

/**
 * Adds to the result of a run with one context what came of it. What a hook says of a context by its index counts more
 * than what is at the top, so a condition that it gives there is replaced there.
 */
function withOnly(result: HookResult, only: ReachedContext): HookResult {
  const said = result.contexts.get(only.index);
  if (said?.conditions.some(({ type }) => type === only.ready?.type) !== true) return withReady(result, only);
  return { ...result, contexts: new Map(result.contexts).set(only.index, withReady(said, only)) };
}

function withContexts(result: HookResult, reached: readonly ReachedContext[]): HookResult {
  const contexts = new Map(result.contexts);
  const { contexts: _all, output: _output, ...whole } = result;
  for (const one of reached) {
    const said = contexts.get(one.index) ?? whole;
    const answer = withReady(said, one);
    if (one.failure !== undefined) {
      contexts.set(one.index, {
        ...answer,
        outcome: 'failed',
        message: one.failure.error.message.slice(0, MAX_MESSAGE),
      });
    } else if (one.again !== undefined) {
      contexts.set(one.index, { ...answer, outcome: 'later', retryAfterMs: one.again });
    } else if (answer !== said) contexts.set(one.index, answer);
  }
  return { ...result, contexts };
}

const MAX_MESSAGE = 1024;

/**
 * Adds the Events about names that are taken, and the condition, unless the hook gives one of its type. If a child
 * could not be written, a True condition of the hook is replaced, and any other gets the message appended.
 */
function withReady<T extends ContextResult>(answer: T, { ready, events = [], failure }: ReachedContext): T {
  const said = events.length === 0 ? answer : { ...answer, events: [...answer.events, ...events] };
  const isRefused = answer.refused !== undefined;
  if (ready === undefined || isRefused) return said;
  const given = answer.conditions.find(({ type }) => type === ready.type);
  if (given !== undefined && failure === undefined) return said;
  const told = given === undefined || given.status === 'True' ? ready : { ...given, message: both(given, ready) };
  return { ...said, conditions: [...answer.conditions.filter((one) => one !== given), told] };
}

function both({ message }: Condition, ready: Condition): string {
  return [message, ready.message].filter((text) => text !== '').join('; ');
}

/** An Event for each child whose name another object has: nothing shows when it is free again. */
export function eventsOfProblems(problems: readonly ChildProblem[]): readonly ResultEvent[] {
  const taken = problems.filter(({ type }) => type === 'taken').slice(0, MAX_SHOWN);
  return taken.map(({ child, message }) => ({
    type: 'Warning',
    reason: 'ChildNameTaken',
    message: `${child}: ${message}`.slice(0, MAX_MESSAGE),
  }));
}
