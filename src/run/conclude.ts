/*
 * The second half of an attempt: the hook has ended, and what it wrote is read and carried out. `attempt.ts` calls
 * `conclude` once for each execution. The result file is read first, because it may make the outcome worse than the exit
 * code: then only operations with `ignoreHookError` are carried out. What must hold: whatever cannot be read is found
 * before anything is applied; after a failure of the hook itself, all other problems are only recorded.
 */

import type { PatchOperation } from '../effects/operation.ts';
import type { AppliedOperation } from '../effects/apply-operations.ts';
import { HookFailedError } from '../errors.ts';
import type { HookResult, ResultOutcome } from '../hook/result.ts';
import type { AskTrigger, AskVerdict } from '../hook/trigger.ts';
import type { Execution, FailedExecution } from '../runner/executor.ts';
import type { HookOutputs } from '../runner/workspace.ts';
import type { AttemptOptions, AttemptSignals } from './attempt.ts';
import { isDryRun, undeclaredEffects } from './dry-run.ts';
import { failureBySaying, saidOutcome, withoutOutcome } from './classify.ts';
import type { RunJournal, RunWarning } from './journal.ts';
import { resultScope } from './result-scope.ts';
import type { FailedRun, Run, RunOutcome } from './run.ts';

type ExitedExecution = Extract<Execution, { readonly type: 'exited' }>;

/** Carries out what the hook asked, and returns the outcome; throws what the effects throw. */
export async function conclude(
  run: Run,
  execution: Execution,
  options: AttemptOptions,
  signals: AttemptSignals,
): Promise<RunOutcome> {
  return execution.type === 'exited'
    ? concludeExited(run, execution, options, signals)
    : concludeFailed(run, execution, options, signals.terminate);
}

async function concludeExited(
  run: Run,
  execution: ExitedExecution,
  options: AttemptOptions,
  { terminate, stop }: AttemptSignals,
): Promise<RunOutcome> {
  const { outputs, cost } = execution;
  const result = await readResult(run, outputs.result, options, terminate);
  const outcome = saidOutcome(execution, result);
  const said = result === undefined ? {} : { result };
  if (outcome === 'done') {
    const [trigger] = run.task.triggers;
    const answered = trigger.type === 'ask' ? verdictOf(trigger, outputs) : {};
    const applied = await carryOut(run, { outputs, result }, options, terminate);
    const { admission, conversion } = outputs;
    const response = { admission, conversion };
    return { type: 'succeeded', cost, applied, response, ...answered, ...said };
  }
  const isStopped = stop.aborted || terminate.aborted;
  if (outcome === 'later' && !isStopped) {
    const applied = await carryOut(run, { outputs, result }, options, terminate);
    return { type: 'later', cost, applied, ...retryAfterOf(result), ...said };
  }
  await salvage(run, outputs, options, terminate);
  const error = isStopped ? stoppedError(run) : failureBySaying(run.task.hook.name, outcome, result);
  return { type: 'failed', by: 'hook', error, cost, ...detailsOf(isStopped ? 'failed' : outcome, result) };
}

function verdictOf({ check }: AskTrigger, outputs: HookOutputs): { readonly verdict?: AskVerdict } {
  const verdict = check?.(outputs);
  return verdict === undefined ? {} : { verdict };
}

async function concludeFailed(
  run: Run,
  execution: FailedExecution,
  options: AttemptOptions,
  signal: AbortSignal,
): Promise<FailedRun> {
  const { by, error, cost, outputs, isCutOff = false } = execution;
  const failed = { type: 'failed', by, error, ...(cost && { cost }) } as const;
  if (outputs === undefined) return { ...failed, ...(execution.isPermanent === true && { isPermanent: true }) };
  await salvage(run, outputs, options, signal);
  const result = await salvageResult(run, outputs.result, options, signal);
  if (isCutOff) return { ...failed, ...(result && { result: withoutOutcome(result) }) };
  return { ...failed, ...detailsOf(saidOutcome(execution, result), result) };
}

function detailsOf(
  outcome: ResultOutcome,
  result: HookResult | undefined,
): Pick<FailedRun, 'isPermanent' | 'retryAfterMs' | 'result'> {
  return { ...(outcome === 'permanent' && { isPermanent: true }), ...retryAfterOf(result), ...(result && { result }) };
}

function retryAfterOf(result: HookResult | undefined): { readonly retryAfterMs?: number } {
  return result?.retryAfterMs === undefined ? {} : { retryAfterMs: result.retryAfterMs };
}

function stoppedError({ task }: Run): HookFailedError {
  const message = `hook ${task.hook.name} failed: it was ended because the operator is stopping`;
  return new HookFailedError(message, { ending: { timedOut: false } });
}

async function readResult(
  run: Run,
  text: string,
  { effects, journal }: AttemptOptions,
  signal: AbortSignal,
): Promise<HookResult | undefined> {
  if (text === '') return undefined;
  const { result, warnings } = await effects.parseResult(text, resultScope(run.task), signal);
  recordMistakes(run, warnings, journal);
  return result;
}

interface Written {
  readonly outputs: HookOutputs;
  readonly result: HookResult | undefined;
}

async function carryOut(
  run: Run,
  { outputs, result }: Written,
  { effects, journal, reconciling }: AttemptOptions,
  signal: AbortSignal,
): Promise<readonly AppliedOperation[]> {
  const { name } = run.task.hook;
  const { operations, metrics, warnings } = await effects.parse(name, outputs, signal);
  recordMistakes(run, [...warnings, ...undeclaredEffects(run.task, operations.length)], journal);
  if (isDryRun(run.task)) return [];
  if (result !== undefined) await reconciling?.keep?.(run, result, signal);
  const applied = await effects.apply(operations, reporter(run, operations, journal), signal);
  effects.applyMetrics(name, metrics);
  return applied;
}

function recordMistakes(run: Run, warnings: readonly string[], journal: RunJournal): void {
  for (const message of warnings) journal.record({ type: 'warned', run, warning: { type: 'likelyMistake', message } });
}

/** Applies what has `ignoreHookError`. Its errors are only recorded: the run has failed already. */
async function salvage(
  run: Run,
  { patch, metrics }: Pick<HookOutputs, 'patch' | 'metrics'>,
  { effects, journal }: AttemptOptions,
  signal: AbortSignal,
): Promise<void> {
  if (isDryRun(run.task)) return;
  const { name } = run.task.hook;
  if (patch !== '') {
    await during(run, 'patches', journal, async () => {
      const operations = await effects.parseAfterFailure.patch(patch, signal);
      await effects.apply(operations, reporter(run, operations, journal), signal);
    });
  }
  if (metrics !== '') {
    await during(run, 'metrics', journal, async () =>
      effects.applyMetrics(name, await effects.parseAfterFailure.metrics(metrics, signal)),
    );
  }
}

async function salvageResult(
  run: Run,
  text: string,
  options: AttemptOptions,
  signal: AbortSignal,
): Promise<HookResult | undefined> {
  return during(run, 'result', options.journal, async () => readResult(run, text, options, signal));
}

async function during<T>(
  run: Run,
  what: Extract<RunWarning, { readonly type: 'notApplied' }>['what'],
  journal: RunJournal,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    journal.record({ type: 'warned', run, warning: { type: 'notApplied', what, error } });
    return undefined;
  }
}

function reporter(
  run: Run,
  operations: readonly PatchOperation[],
  journal: RunJournal,
): (applied: AppliedOperation) => void {
  return (applied) => {
    const operation = operations[applied.index - 1];
    if (operation !== undefined) journal.record({ type: 'applied', run, operation, applied });
  };
}
