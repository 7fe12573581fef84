import { HookFailedError, HookOutputError } from '../errors.ts';
import { REMOTE_FILES, type RemoteCost, type RemoteFiles, type RemoteResult } from '../hook/remote-run.ts';
import type { Execution, FailedExecution, RunCost } from './executor.ts';
import { failedRun } from './failed-run.ts';
import { failureMessage } from './failure.ts';
import { explainSize } from './output-limits.ts';
import type { Exit } from './spawner-protocol.ts';

/** What hooklet in another Pod sent of its hook, as the result of an executor. */
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

/** The result of a run that nobody began, or that cannot be begun. */
export function notRun(hook: string, reason: string, cause?: unknown): FailedExecution {
  const error = new HookFailedError(failureMessage(hook, reason, ''), { cause });
  return { type: 'failed', by: 'environment', error };
}

/** The exit of a run that nobody saw. */
export const NO_EXIT: Exit = { timedOut: false, stdout: '', stderr: '', usage: {} };

/** The result of a run that was ended, and of which nothing else is known. */
export function cutOff(hook: string, reason: string, exit: Exit): FailedExecution {
  return failedRun(hook, exit, { reason, by: 'hook', isCutOff: true });
}

/** The result of a run whose files cannot be taken. */
export function unreadable(hook: string, problem: string): FailedExecution {
  const error = new HookOutputError(`hook ${hook}: its output cannot be read: ${problem}`);
  return { type: 'failed', by: 'output', error };
}

/** The limits are those of a local run, whoever sends. */
export function sizeProblem(files: RemoteFiles): string | undefined {
  return REMOTE_FILES.map((name) => explainSize(name, Buffer.byteLength(files[name]))).find((one) => one !== undefined);
}

/** The outputs of a run that succeeded. */
export function filesOf({ patch, metrics, admission, conversion, result }: RemoteFiles): RemoteFiles {
  return { patch, metrics, admission, conversion, result };
}

/** A run that was killed may have written half a document; a result is whole, or it is not read. */
export function writtenIn(
  { patch, metrics, result }: RemoteFiles,
  wasCut: boolean,
): NonNullable<FailedExecution['outputs']> {
  return wasCut ? { patch: '', metrics: '', result } : { patch, metrics, result };
}

function costOf({ durationMs, ...usage }: RemoteCost): RunCost {
  return { durationMs, usage };
}
