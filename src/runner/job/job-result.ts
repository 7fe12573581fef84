import type { ResultOutcome } from '../../hook/result.ts';
import type { Execution, FailedExecution } from '../executor.ts';
import { failedRun, isCutOff, outcomeOf } from '../failed-run.ts';
import { describeFailure } from '../failure.ts';
import { filesOf, NO_EXIT, sizeProblem, unreadable, writtenIn } from '../remote-result.ts';
import type { Exit } from '../spawner-protocol.ts';
import type { JobFacts } from './job-facts.ts';
import type { SidecarResult } from './next-step.ts';
import type { PodExit } from './pod-state.ts';

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
  return { ...NO_EXIT, ...(exitCode !== undefined && { exitCode }) };
}

/** Why a hook was ended that had too little memory; undefined for another end. */
export function memoryText(exit: PodExit): string | undefined {
  if (!isOutOfMemory(exit)) return undefined;
  return 'its container ran out of memory (OOMKilled): raise the limit in settings.executor.job.resources, or use less';
}

function isOutOfMemory({ reason }: PodExit): boolean {
  return reason === 'OOMKilled';
}
