import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { PatchOperation } from '../effects/operation.ts';
import { HookFailedError } from '../errors.ts';
import type { MetricOperation } from '../effects/parse-metrics.ts';
import { writeContexts, type FactsReader, type SnapshotReader } from '../hook/context.ts';
import type { Task } from '../hook/task.ts';
import type { Logger, LogFields } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Runner } from '../runner/runner.ts';
import { bindingOf, reasonOf } from './run-reason.ts';

/** What a hook wrote, read and found right. */
export interface HookRequests {
  readonly operations: readonly PatchOperation[];
  readonly metrics: readonly MetricOperation[];
  readonly warnings: readonly string[];
}

export interface TaskRunOptions {
  readonly runner: Pick<Runner, 'run'>;
  /** Reads both files of a run that succeeded; throws `HookOutputError`. */
  readonly parse: (
    hook: string,
    outputs: { readonly patch: string; readonly metrics: string },
    signal: AbortSignal,
  ) => Promise<HookRequests>;
  /** What counts of a run that failed; throws `HookOutputError`. */
  readonly parseAfterFailure: {
    readonly patch: (text: string, signal: AbortSignal) => Promise<readonly PatchOperation[]>;
    readonly metrics: (text: string, signal: AbortSignal) => Promise<readonly MetricOperation[]>;
  };
  readonly apply: (
    operations: readonly PatchOperation[],
    onApplied: (applied: AppliedOperation) => void,
    signal: AbortSignal,
  ) => Promise<unknown>;
  readonly applyMetrics: (hook: string, operations: readonly MetricOperation[]) => void;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Where the task is run: its queue, and how its snapshots are read at that moment. */
export interface TaskPlace {
  readonly queue: string;
  readonly read: SnapshotReader;
  readonly facts?: FactsReader;
  /** Called with each operation that was carried out. */
  readonly wrote?: (operation: PatchOperation, applied: AppliedOperation) => void;
  /** Ends the hook, though not what is done when it has ended. */
  readonly stop?: AbortSignal;
}

/**
 * Runs the hook of `task` once and carries out what it asked; a rejection means that nothing may be taken as done. All
 * files are read before anything is applied.
 */
export async function runTask(
  task: Task,
  { queue, read, facts, stop, wrote }: TaskPlace,
  options: TaskRunOptions,
  signal: AbortSignal,
): Promise<void> {
  const { hook } = task;
  const labels = { hook: hook.name, binding: bindingOf(task), queue };
  const { binding } = labels;
  const fields = { hook: hook.name, ...(binding !== '' && { binding }), queue, event: reasonOf(task) };
  const log = options.log.child(fields);
  const patchLog = options.log.child({ hook: hook.name });
  observeWait(options.metrics, labels, Math.max(0, Date.now() - task.queuedAtMs));
  try {
    const contexts = writeContexts(task, read, facts);
    const ends = stop === undefined ? signal : AbortSignal.any([signal, stop]);
    const run = await options.runner.run({ hook, contexts, fields }, ends);
    observeRun(options.metrics, labels, run);
    const { operations, metrics, warnings } = await options.parse(hook.name, run.outputs, signal);
    for (const warning of warnings) log.warn({ warning }, 'hook wrote what is likely a mistake');
    const onApplied = (applied: AppliedOperation): void => {
      logApplied(patchLog, applied);
      const operation = operations[applied.index - 1];
      if (operation !== undefined) wrote?.(operation, applied);
    };
    await options.apply(operations, onApplied, signal);
    options.applyMetrics(hook.name, metrics);
    options.metrics.hookRunSuccess.inc(labels);
    log.info({ durationMs: Math.round(run.durationMs), ...countOf(operations) }, 'hook finished');
  } catch (error) {
    if (error instanceof HookFailedError && error.failure !== undefined) {
      observeRun(options.metrics, labels, error.failure);
      await applyDespiteFailure(error.failure.patch, options, { log, patchLog, signal });
      await countDespiteFailure(error.failure.metrics ?? '', options, { hook: hook.name, log, signal });
    }
    throw error;
  }
}

interface RunLabels {
  readonly hook: string;
  readonly binding: string;
  readonly queue: string;
}

interface RunCost {
  readonly durationMs: number;
  readonly usage: { readonly userCpuMs?: number; readonly systemCpuMs?: number; readonly maxRssBytes?: number };
}

function observeWait(metrics: Metrics, labels: RunLabels, waitMs: number): void {
  metrics.taskWaitSeconds.inc(labels, waitMs / 1000);
  metrics.taskWaitDuration.observe(labels, waitMs / 1000);
}

function observeRun(metrics: Metrics, labels: RunLabels, { durationMs, usage }: RunCost): void {
  const { userCpuMs, systemCpuMs, maxRssBytes } = usage;
  metrics.hookRunSeconds.observe(labels, durationMs / 1000);
  if (userCpuMs !== undefined) metrics.hookRunUserCpuSeconds.observe(labels, userCpuMs / 1000);
  if (systemCpuMs !== undefined) metrics.hookRunSysCpuSeconds.observe(labels, systemCpuMs / 1000);
  if (maxRssBytes !== undefined) metrics.hookRunMaxRssBytes.set(labels, maxRssBytes);
}

function countOf(operations: readonly PatchOperation[]): LogFields {
  return operations.length === 0 ? {} : { patches: operations.length };
}

function logApplied(log: Logger, { operation, target, change }: AppliedOperation): void {
  const fields = { operation, object: target, change };
  if (change === 'unchanged' || change === 'absent') log.debug(fields, 'patch applied');
  else log.info(fields, 'patch applied');
}

/** The operations with `ignoreHookError`; their own failure only adds to what failed already. */
async function applyDespiteFailure(
  patch: string,
  options: TaskRunOptions,
  { log, patchLog, signal }: { readonly log: Logger; readonly patchLog: Logger; readonly signal: AbortSignal },
): Promise<void> {
  if (patch === '') return;
  try {
    const operations = await options.parseAfterFailure.patch(patch, signal);
    await options.apply(operations, (applied) => logApplied(patchLog, applied), signal);
  } catch (error) {
    log.warn({ err: error }, 'patches of the failed run could not be applied');
  }
}

async function countDespiteFailure(
  text: string,
  options: TaskRunOptions,
  { hook, log, signal }: { readonly hook: string; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  if (text === '') return;
  try {
    options.applyMetrics(hook, await options.parseAfterFailure.metrics(text, signal));
  } catch (error) {
    log.warn({ err: error }, 'metrics of the failed run could not be applied');
  }
}
