import { HookFailedError } from '../errors.ts';
import type { OutcomeCodes } from '../hook/binding.ts';
import type { ResultOutcome } from '../hook/result.ts';
import type { FailedExecution } from './executor.ts';
import { outcomeOfExitCode } from './exit-code.ts';
import { failureMessage } from './failure.ts';
import type { Exit } from './spawner-protocol.ts';

/** What is known of a failed run besides its exit; `reason` in one line. */
export interface Failure extends Pick<FailedExecution, 'by' | 'cost' | 'outputs' | 'isPermanent' | 'isCutOff'> {
  readonly reason: string;
}

/** The result of a run of a program that failed, in the same words wherever the program ran. */
export function failedRun(
  hook: string,
  exit: Exit,
  { reason, isPermanent, isCutOff: wasCut, ...rest }: Failure,
): FailedExecution {
  const { exitCode, signal, timedOut } = exit;
  const ending = {
    timedOut,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
  };
  return {
    type: 'failed',
    error: new HookFailedError(failureMessage(hook, reason, exit.stderr), { ending }),
    ...(isPermanent === true && { isPermanent }),
    ...(wasCut === true && { isCutOff: wasCut }),
    ...rest,
  };
}

/** By what the exit of a hook is judged. */
export interface Meaning {
  readonly codes: OutcomeCodes | undefined;
  readonly isPlain: boolean;
  readonly isStopped: boolean;
}

/** A hook that is ended may exit with any code; only success is believed then. */
export function outcomeOf(exit: Exit, { codes, isPlain, isStopped }: Meaning): ResultOutcome {
  if (isCutOff(exit)) return 'failed';
  const outcome = outcomeOfExitCode(exit.exitCode ?? 1, codes, isPlain);
  return isStopped && outcome !== 'done' ? 'failed' : outcome;
}

/** Whether the hook was ended, so that what it says about its outcome does not count. */
export function isCutOff({ exitCode, timedOut, heldBy }: Exit): boolean {
  return timedOut || exitCode === undefined || heldBy !== undefined;
}
