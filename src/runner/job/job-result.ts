import { HookFailedError, HookOutputError } from '../../errors.ts';
import { REMOTE_FILES, type RemoteCost, type RemoteFiles, type RemoteResult } from '../../hook/remote-run.ts';
import type { ResultOutcome } from '../../hook/result.ts';
import type { Execution, FailedExecution, RunCost } from '../executor.ts';
import { failedRun, isCutOff, outcomeOf } from '../failed-run.ts';
import { describeFailure } from '../failure.ts';
import { explainSize } from '../output-limits.ts';
import type { Exit } from '../spawner-protocol.ts';
import type { JobFacts } from './job-facts.ts';
import type { SidecarResult } from './next-step.ts';
import type { PodExit } from './pod-state.ts';

/** What hooklet in the Pod sent of its hook, as the result of an executor. */
export function executionOfResult(
  hook: string,
  result: Extract<RemoteResult, { type: 'exited' | 'failed' }>,
): Execution {
  const problem = result.files === undefined ? undefined : sizeProblem(result.files);
  if (problem !== undefined) return unreadable(hook, problem);
  if (result.type === 'failed') return failedInPod(result);
  const { cost, files, isLater } = result;
  return { type: 'exited', cost: costOf(cost), outputs: filesOf(files), ...(isLater && { isLater }) };
}

function failedInPod(result: Extract<RemoteResult, { type: 'failed' }>): FailedExecution {
  const { message, by, isPermanent, isCutOff: wasCut, cost, files } = result;
  const error =
    by === 'output' ? new HookOutputError(message) : new HookFailedError(message, { ending: endingOf(result) });
  return {
    type: 'failed',
    by,
    error,
    ...(cost !== undefined && { cost: costOf(cost) }),
    ...(isPermanent && { isPermanent }),
    ...(wasCut && { isCutOff: wasCut }),
    ...(files !== undefined && { outputs: writtenIn(files, false) }),
  };
}

function endingOf({ timedOut, exitCode, signal }: Extract<RemoteResult, { type: 'failed' }>) {
  return { timedOut, ...(exitCode !== undefined && { exitCode }), ...(signal !== undefined && { signal }) };
}

/** The files that a sidecar sent, by the exit code that the Pod has. */
export function executionOfFiles(facts: JobFacts, result: SidecarResult, exit: PodExit): Execution {
  const ended = exitOf(exit);
  // One that the kernel ended has an exit code that is none of its own.
  const wasCut = isOutOfMemory(exit) || isCutOff(ended);
  const meaning = { codes: facts.outcome, isPlain: facts.plainExitCodes, isStopped: false };
  const outcome = wasCut ? 'failed' : outcomeOf(ended, meaning);
  const cost = { durationMs: exit.durationMs ?? 0, usage: {} };
  if (outcome === 'done' || outcome === 'later') return { ...succeeded(facts.hook, result, outcome), cost };
  const context = { path: facts.hook, timeoutMs: facts.timeoutMs, backgroundLimitMs: 0, isStopped: false };
  const reason = memoryText(exit) ?? describeFailure(ended, context) ?? 'it was ended';
  const how = { isPermanent: outcome === 'permanent', isCutOff: wasCut };
  return failedRun(facts.hook, ended, { reason, by: 'hook', cost, ...how, ...writtenBefore(result, wasCut) });
}

type Succeeded = Omit<Extract<Execution, { type: 'exited' }>, 'cost'> | FailedExecution;

function succeeded(hook: string, result: SidecarResult, outcome: ResultOutcome): Succeeded {
  if (result.type === 'unreadable') return unreadable(hook, result.message);
  const problem = sizeProblem(result.files);
  if (problem !== undefined) return unreadable(hook, problem);
  return { type: 'exited', outputs: filesOf(result.files), ...(outcome === 'later' && { isLater: true }) };
}

function writtenBefore(result: SidecarResult, wasCut: boolean): Pick<FailedExecution, 'outputs'> {
  const isUsable = result.type === 'files' && sizeProblem(result.files) === undefined;
  return isUsable ? { outputs: writtenIn(result.files, wasCut) } : {};
}

/** How the container with the hook ended, as a process would have. */
export function exitOf({ exitCode }: PodExit): Exit {
  return { timedOut: false, stdout: '', stderr: '', usage: {}, ...(exitCode !== undefined && { exitCode }) };
}

/** Why a hook was ended that had too little memory; undefined for another end. */
export function memoryText(exit: PodExit): string | undefined {
  if (!isOutOfMemory(exit)) return undefined;
  return 'its container ran out of memory (OOMKilled): raise the limit in settings.executor.job.resources, or use less';
}

function isOutOfMemory({ reason }: PodExit): boolean {
  return reason === 'OOMKilled';
}

function unreadable(hook: string, problem: string): FailedExecution {
  const error = new HookOutputError(`hook ${hook}: its output cannot be read: ${problem}`);
  return { type: 'failed', by: 'output', error };
}

/** The limits are those of a local run, whoever sends. */
function sizeProblem(files: RemoteFiles): string | undefined {
  return REMOTE_FILES.map((name) => explainSize(name, Buffer.byteLength(files[name]))).find((one) => one !== undefined);
}

function filesOf({ patch, metrics, admission, conversion, result }: RemoteFiles): RemoteFiles {
  return { patch, metrics, admission, conversion, result };
}

/** A run that was killed may have written half a document; a result is whole, or it is not read. */
function writtenIn({ patch, metrics, result }: RemoteFiles, wasCut: boolean): NonNullable<FailedExecution['outputs']> {
  return wasCut ? { patch: '', metrics: '', result } : { patch, metrics, result };
}

function costOf({ durationMs, ...usage }: RemoteCost): RunCost {
  return { durationMs, usage };
}
