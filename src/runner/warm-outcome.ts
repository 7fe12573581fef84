/*
 * The results that a warm process can have, and how each becomes the result of an executor. `WarmWorker` produces them,
 * `WarmHooks` converts them.
 */

import { HookFailedError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import type { Execution, FailedExecution, RunCost } from './executor.ts';
import { failureMessage, overtimeText } from './failure.ts';
import type { Exit, Usage } from './spawner-protocol.ts';
import type { WarmOutputs } from './warm-protocol.ts';

/** The result of loading the module. */
export type Loaded =
  | { readonly type: 'ready'; readonly config: string }
  | { readonly type: 'broken'; readonly error: string }
  | Ended;

/** The result of a run. */
export type Outcome = { readonly type: 'done'; readonly outputs: WarmOutputs; readonly usage: Usage } | Failed | Ended;

/** The hook failed: `reason` in one line, `error` in full; the outputs are what it requested until then. */
export interface Failed {
  readonly type: 'failed';
  readonly reason: string;
  readonly error: string;
  readonly outputs: WarmOutputs;
  readonly usage: Usage;
}

/** The process ended before it reported a result. */
export interface Ended {
  readonly type: 'ended';
  readonly exit: Exit;
  /** Why we ended it; absent when it ended by itself or was asked to end. */
  readonly reason?: string | undefined;
  /** We ended it because it had not loaded in time. */
  readonly isLate?: true;
}

/** Returns the result of loading as that of `hook --config`. */
export function toExit(loaded: Loaded): Exit {
  switch (loaded.type) {
    case 'ready':
      return { exitCode: 0, timedOut: false, stdout: loaded.config, stderr: '', usage: {} };
    case 'broken':
      return { exitCode: 1, timedOut: false, stdout: '', stderr: loaded.error, usage: {} };
    case 'ended':
      return loaded.reason === undefined
        ? loaded.exit
        : {
            ...loaded.exit,
            startError: { code: '', message: loaded.reason, ...(loaded.isLate && { isShortage: true }) },
          };
  }
}

/** What is known about a run besides its result. */
export interface Circumstances {
  readonly cost: RunCost;
  readonly isTimedOut: boolean;
  readonly isStopped: boolean;
  /** Why it was, from `stopText`. */
  readonly why: string;
}

/** Returns the result of a run as that of an executor. */
export function toExecution(hook: Hook, outcome: Outcome, { cost, isTimedOut, ...stop }: Circumstances): Execution {
  const { isStopped } = stop;
  if (outcome.type === 'done' && !isTimedOut) {
    return { type: 'exited', cost, outputs: outcome.outputs };
  }
  const [reason, detail] = describeOutcome(outcome, stop);
  const message = failureMessage(hook.name, isTimedOut ? overtimeText(hook.settings.timeoutMs) : reason, detail);
  const error = new HookFailedError(message, { ending: { timedOut: isTimedOut } });
  const isCutOff = isTimedOut || isStopped || outcome.type === 'ended';
  return {
    type: 'failed',
    by: blameOf(outcome),
    error,
    cost,
    ...(isCutOff && { isCutOff }),
    ...writtenBefore(outcome),
  };
}

/** A run that was done too late has its result read, but is not carried out. */
function writtenBefore(outcome: Outcome): Pick<FailedExecution, 'outputs'> {
  if (outcome.type === 'failed') return { outputs: outcome.outputs };
  if (outcome.type === 'ended' || outcome.outputs.result === '') return {};
  return { outputs: { patch: '', metrics: '', result: outcome.outputs.result } };
}

/** Returns the cause of a failure: the environment if the spawner process was lost, else the hook. */
export function blameOf(result: Loaded | Outcome): 'hook' | 'environment' {
  return result.type === 'ended' && result.exit.isLost === true ? 'environment' : 'hook';
}

/** The parts of a failure message: the reason in one line, and the details. */
export type Description = readonly [reason: string, detail: string];

/** Describes why a module was not loaded. */
export function describeLoad(loaded: Exclude<Loaded, { type: 'ready' }>): Description {
  if (loaded.type === 'broken') return ['its module could not be loaded', loaded.error];
  return [`its process ended before its module was loaded (${describeEnd(loaded)})`, loaded.exit.stderr];
}

function describeOutcome(outcome: Outcome, { isStopped, why }: Pick<Circumstances, 'isStopped' | 'why'>): Description {
  if (outcome.type === 'done') return ['', ''];
  if (isStopped) return [why, ''];
  if (outcome.type === 'failed') return [outcome.reason, outcome.error];
  return [`its process ended during the run (${describeEnd(outcome)})`, outcome.exit.stderr];
}

function describeEnd({ reason, exit }: Ended): string {
  return reason ?? describeExit(exit);
}

/** Describes in a few words how a process ended. */
export function describeExit({ startError, signal, exitCode }: Exit): string {
  return startError?.message ?? signal ?? `exit code ${exitCode}`;
}
