import { constants } from 'node:os';
import { goDuration } from '../lib/duration.ts';
import type { Exit } from './spawner-protocol.ts';
import { explainStartError } from './start-failure.ts';

const SIGNAL_EXIT_BASE = 128;

/** What is known about a run besides its exit. */
export interface FailureContext {
  readonly path: string;
  readonly timeoutMs: number | undefined;
  readonly backgroundLimitMs: number;
  /** Whether the run was ended by its signal. */
  readonly isStopped: boolean;
  /** Why, from `stopText`; default: because the operator is stopping. */
  readonly why?: string;
}

/** Returns why a run failed, in one line; undefined when it succeeded. */
export function describeFailure(exit: Exit, context: FailureContext): string | undefined {
  if (exit.startError !== undefined) return explainStartError(context.path, exit.startError);
  if (exit.timedOut) return overtimeText(context.timeoutMs);
  if (exit.exitCode === 0 && exit.heldBy === undefined) return undefined;
  if (context.isStopped) return whyOf(context);
  if (exit.heldBy !== undefined) return heldText(exit.heldBy, context.backgroundLimitMs);
  return exitText(exit);
}

function exitText(exit: Exit): string {
  if (exit.signal === 'SIGKILL') return 'it was killed by SIGKILL, which the kernel sends when memory runs out';
  if (exit.signal !== undefined) return `it was killed by ${exit.signal}`;
  return `exit code ${exit.exitCode}${describeShellSignal(exit.exitCode ?? 0)}`;
}

const STOPPING = 'it was ended because the operator is stopping';

function whyOf({ why = STOPPING }: FailureContext): string {
  return why;
}

/** Why a run was ended by its signal. */
export function stopText({ reason }: AbortSignal): string {
  // A reason of the platform says nothing.
  return reason instanceof Error && reason.name === 'Error' ? `it was ended: ${reason.message}` : STOPPING;
}

/** The reason of a run that exceeded its timeout. */
export function overtimeText(timeoutMs = 0): string {
  return `it ran longer than its time limit of ${goDuration(timeoutMs)} (settings.timeout) and was ended`;
}

function heldText(heldBy: string, limitMs: number): string {
  const limit = `${goDuration(limitMs)} after its exit (--background-limit)`;
  return `${heldBy} still held its output ${limit} and was ended; start what is not part of the run with > /dev/null 2>&1`;
}

/** The error message of a run: the reason and the end of its standard error. */
export function failureMessage(hook: string, reason: string, stderr: string): string {
  const tail = stderr.trimEnd();
  return `hook ${hook} failed: ${reason}${tail === '' ? '' : `\n${tail}`}`;
}

// A shell exits with 128 + N when its command was killed by signal N.
function describeShellSignal(exitCode: number): string {
  const signals: readonly [string, number][] = Object.entries(constants.signals);
  const name = signals.find(([, number]) => number === exitCode - SIGNAL_EXIT_BASE)?.[0];
  return name === undefined ? '' : ` (a command was killed by ${name})`;
}
