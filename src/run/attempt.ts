import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { PatchOperation } from '../effects/operation.ts';
import type { MetricOperation } from '../effects/parse-metrics.ts';
import type { ParsedResult, ResultScope } from '../effects/read-result.ts';
import { HookOutputError, KubeError, PatchError, StateChangedError } from '../errors.ts';
import { writeContexts, type FactsReader, type SnapshotReader } from '../hook/context.ts';
import type { ReconcileReader } from '../hook/context-reconcile.ts';
import type { ReconcileTrigger } from '../hook/trigger.ts';
import type { ExecuteRequest, Execution, Executor, HookOutput, RunCost } from '../runner/executor.ts';
import { isShown } from './classify.ts';
import { conclude } from './conclude.ts';
import { isDryRun } from './dry-run.ts';
import type { RunJournal } from './journal.ts';
import type { Reconciling } from './reconciling.ts';
import type { FailedRun, Run, RunOutcome } from './run.ts';

/** The parsed output files of a hook. */
export interface HookRequests {
  readonly operations: readonly PatchOperation[];
  readonly metrics: readonly MetricOperation[];
  readonly warnings: readonly string[];
}

/** Parses and carries out what hooks write. */
export interface Effects {
  /** Parses the output files of a hook that succeeded; throws `HookOutputError`. */
  readonly parse: (
    hook: string,
    outputs: { readonly patch: string; readonly metrics: string },
    signal: AbortSignal,
  ) => Promise<HookRequests>;
  /** Parses the result file, which is not empty, of any run; throws `HookOutputError`. */
  readonly parseResult: (text: string, scope: ResultScope, signal: AbortSignal) => Promise<ParsedResult>;
  /** Parses an output file of a hook that failed, and returns what counts nevertheless; throws `HookOutputError`. */
  readonly parseAfterFailure: {
    readonly patch: (text: string, signal: AbortSignal) => Promise<readonly PatchOperation[]>;
    readonly metrics: (text: string, signal: AbortSignal) => Promise<readonly MetricOperation[]>;
  };
  /** Applies the operations; throws `PatchError` for those that failed, once the others are carried out. */
  readonly apply: (
    operations: readonly PatchOperation[],
    onApplied: (applied: AppliedOperation) => void,
    signal: AbortSignal,
  ) => Promise<readonly AppliedOperation[]>;
  readonly applyMetrics: (hook: string, operations: readonly MetricOperation[]) => void;
  /**
   * Writes the conditions, fields of the status and Events of the outcome's result to the objects of the run. Called at
   * the end of an attempt whose result has some, also when the run failed; what it throws does not change the outcome.
   */
  readonly report?: (run: Run, outcome: RunOutcome, signal: AbortSignal) => Promise<void>;
}

export interface AttemptOptions {
  readonly executor: Pick<Executor, 'execute'>;
  readonly effects: Effects;
  readonly journal: RunJournal;
  /** For the runs of reconcile bindings; absent where there are none. */
  readonly reconciling?: Reconciling | undefined;
  /** What a run that began gives its hook as `TRACEPARENT`; absent: nothing. */
  readonly traceparentOf?: ((run: Run) => string | undefined) | undefined;
}

/** What reads the data of the binding contexts, when the run begins. */
export interface ContextReaders {
  readonly read: SnapshotReader;
  readonly facts?: FactsReader;
  readonly view?: ReconcileReader;
}

/** The signals that end an attempt early. */
export interface AttemptSignals {
  /** Ends the hook, and the work on its output. */
  readonly terminate: AbortSignal;
  /** Ends only the hook. */
  readonly stop: AbortSignal;
}

/**
 * Runs the hook of a task once and carries out what it asked; never rejects. Every run goes through here, from a queue
 * or for a caller; what happens next is decided elsewhere, from the outcome.
 *
 * 1. The binding contexts are written, with the snapshots of this moment, and the hook is executed.
 * 2. Its result file is parsed: the outcome is the worse of the exit code and what the file says.
 * 3. If it succeeded, or its work cannot be done yet, its other files are parsed, its operations applied, then its
 *    metrics. If it failed, only operations and metrics with `ignoreHookError` are applied.
 * 4. Conditions, status and Events of its result are written.
 *
 * The journal gets `started`, each line of output, `executed` with the cost, and each warning and applied operation as
 * they happen; the caller records `ended`.
 *
 * What must hold: nothing of a hook that succeeded is applied before all its files are parsed. So a hook that fails, or
 * writes a file that cannot be parsed, changes nothing except by those. A run that fails because the API server refused
 * an operation has carried out the others, and its result does not count: it would say what is not so.
 */
export async function attempt(
  run: Run,
  readers: ContextReaders,
  options: AttemptOptions,
  signals: AttemptSignals,
): Promise<RunOutcome> {
  const { journal } = options;
  journal.record({ type: 'started', run, waitedMs: Math.max(0, Date.now() - run.task.queuedAtMs) });
  const outcome = await reconciled(run, readers, options, signals);
  await report(run, outcome, options, signals.terminate);
  return outcome;
}

async function reconciled(
  run: Run,
  readers: ContextReaders,
  options: AttemptOptions,
  signals: AttemptSignals,
): Promise<RunOutcome> {
  const { reconciling } = options;
  // Without a wait in between for all others: their contexts are read in this turn of the event loop.
  if (reconciling === undefined || run.task.triggers[0].type !== 'reconcile') {
    return executed(run, readers, options, signals);
  }
  const ended = await reconciling.prepare(run, signals.terminate);
  if (ended !== undefined) return ended;
  const outcome = await executed(run, readers, options, signals);
  // It was ended, which says nothing of its objects.
  if (outcome.type === 'failed' && (signals.stop.aborted || signals.terminate.aborted)) return outcome;
  return reconciling.finish(run, outcome, signals.terminate);
}

async function executed(
  run: Run,
  readers: ContextReaders,
  options: AttemptOptions,
  signals: AttemptSignals,
): Promise<RunOutcome> {
  const { journal } = options;
  let cost: RunCost | undefined;
  try {
    const execution = await execute(run, readers, options, AbortSignal.any([signals.terminate, signals.stop]));
    cost = execution.cost;
    if (cost !== undefined) journal.record({ type: 'executed', run, cost });
    return await conclude(run, execution, options, signals);
  } catch (error) {
    return { ...failureOf(error), ...(cost && { cost }) };
  }
}

async function execute(
  run: Run,
  { read, facts, view = () => undefined }: ContextReaders,
  { executor, journal, traceparentOf }: AttemptOptions,
  signal: AbortSignal,
): Promise<Execution> {
  const seeing: ReconcileReader = (trigger) => {
    const seen = view(trigger);
    if (seen === undefined) return undefined;
    journal.record({ type: 'seen', run, trigger, object: seen.object });
    const { problem } = seen.state ?? {};
    if (problem !== undefined) {
      const message = `${trigger.binding.kind} ${nameOf(trigger)}: ${problem}`;
      journal.record({ type: 'warned', run, warning: { type: 'likelyMistake', message } });
    }
    return seen;
  };
  const contexts = writeContexts(run.task, read, facts, { view: seeing, runId: run.id, attempt: run.attempt });
  const { hook } = run.task;
  const traceparent = traceparentOf?.(run);
  const onOutput = (output: HookOutput): void => journal.record({ type: 'output', run, output });
  const isAsked = run.task.triggers[0].type === 'ask';
  const traced = traceparent === undefined ? {} : { traceparent };
  const about = { attempt: run.attempt, ...ticksOf(run) };
  const request = { hook, contexts, runId: run.id, onOutput, isAsked, ...about, ...traced };
  return executor.execute(request, signal);
}

function ticksOf({ task: { triggers } }: Run): Pick<ExecuteRequest, 'ticks'> {
  const ticks = triggers.flatMap((trigger) => (trigger.type === 'schedule' ? trigger.run.runId : []));
  return ticks.length === triggers.length ? { ticks } : {};
}

function nameOf({ namespace, name }: ReconcileTrigger): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

async function report(
  run: Run,
  outcome: RunOutcome,
  { effects, journal }: AttemptOptions,
  signal: AbortSignal,
): Promise<void> {
  // An operator that must end may not lead anymore.
  if (effects.report === undefined || signal.aborted || !('result' in outcome) || isDryRun(run.task)) return;
  if (outcome.result === undefined || !isShown(outcome.result)) return;
  try {
    await effects.report(run, outcome, signal);
  } catch (error) {
    journal.record({ type: 'warned', run, warning: { type: 'notReported', error } });
  }
}

/** Classifies an error that was thrown during an attempt: what failed, and whether the API server was unavailable. */
export function failureOf(error: unknown): FailedRun {
  if (!(error instanceof Error)) return { type: 'failed', by: 'hook', error: new Error(String(error)) };
  if (error instanceof StateChangedError) return { type: 'failed', by: 'environment', error };
  if (error instanceof HookOutputError) return { type: 'failed', by: 'output', error };
  if (!(error instanceof PatchError)) return { type: 'failed', by: 'hook', error };
  if (!(error.cause instanceof KubeError)) return { type: 'failed', by: 'patch', error };
  const { status, retryAfterMs } = error.cause;
  // Without an answer, with 429 or 5xx, the same request may succeed later; any other refusal will be repeated.
  const isUnavailable = status === 0 || status === 429 || status >= 500;
  if (!isUnavailable) return { type: 'failed', by: 'patch', error };
  return { type: 'failed', by: 'environment', error, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
