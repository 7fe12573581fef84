/*
 * Runs a process hook: each run is a new process, started by the spawner, with its contexts in a file and its results
 * in files. `runner.ts` calls `execute` for each attempt and `readConfig` at each load. A run ends in one of four ways:
 * exited with its outputs, done or to be run again later; failed by the hook (exit code, signal, timeout); failed by its output (not readable or too
 * large); or failed by its environment (no place for its files, files removed while it ran, lost spawner process). What
 * must hold: it never rejects, and the files of a run are removed when it has ended.
 */

import { dirname } from 'node:path';
import { HookFailedError, HookOutputError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import { CONFIG_LIMIT_MS } from '../hook/load.ts';
import type { Execution, ExecuteRequest, Executor, FailedExecution } from './executor.ts';
import { outcomeOfExitCode } from './exit-code.ts';
import { failedRun, isCutOff, outcomeOf } from './failed-run.ts';
import { describeFailure, failureMessage, stopText } from './failure.ts';
import { OUTPUT_LIMITS } from './output-limits.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, SpawnRequest } from './spawner-protocol.ts';
import type { HookOutputs, Workspace, Workspaces } from './workspace.ts';
import { messageOf } from '../lib/message-of.ts';

const CLEARED = 'its files were removed while it ran: something clears the temporary folder, see --tmp-dir';

export interface ProcessExecutorOptions {
  readonly spawner: Spawner;
  /** Added to the environment of the operator. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspaces: Workspaces;
  /** The folder of the workspaces, for errors. */
  readonly folder: string;
  /** The working directory of `--config`. */
  readonly hooksDir: string;
  /** How long background jobs that hold the output of a hook are waited for; 0: they are not, and are ended. */
  readonly backgroundLimitMs: number;
  /** The exit codes 75 and 78 are failures as any other; default false. */
  readonly plainExitCodes?: boolean;
}

/** Creates the executor that runs each hook as a process of its own. */
export function processExecutor(options: ProcessExecutorOptions): Executor {
  const { spawner, env, hooksDir } = options;
  return {
    readConfig: async ({ path }, signal) => {
      const hold = { exitCodes: [0], limitMs: CONFIG_LIMIT_MS };
      const limits = { timeoutMs: CONFIG_LIMIT_MS, captureBytes: OUTPUT_LIMITS.config, hold };
      return spawner.spawn({ path, args: ['--config'], cwd: hooksDir, env, ...limits }, { onLine: () => {}, signal });
    },
    execute: async (request, signal) => runProcess(request, options, signal),
    close: async () => {},
  };
}

async function runProcess(
  request: ExecuteRequest,
  options: ProcessExecutorOptions,
  signal: AbortSignal,
): Promise<Execution> {
  const { hook, contexts, onOutput, runId } = request;
  const startedAt = performance.now();
  let workspace: Workspace;
  try {
    workspace = await options.workspaces.open(hook.name, contexts);
  } catch (error) {
    return noPlace(hook.name, options.folder, error);
  }
  try {
    const { path, settings } = hook;
    const { timeoutMs } = settings;
    const env = { ...options.env, ...workspace.env, RUN_ID: runId, ...traceOf(request), ...request.env };
    const spawn = { path, args: [], cwd: dirname(path), env, ...limitsOf(request, options) };
    const exit = await options.spawner.spawn(spawn, { onLine: (line) => onOutput({ type: 'line', line }), signal });
    const cost = { durationMs: performance.now() - startedAt, usage: exit.usage };
    const isStopped = signal.aborted;
    const meaning = { codes: settings.outcome, isPlain: options.plainExitCodes === true, isStopped };
    const outcome = outcomeOf(exit, meaning);
    // Checked first: a hook whose files are gone may fail in any way, or appear to succeed.
    if (!workspace.isThere()) return failedRun(hook.name, exit, { reason: CLEARED, by: 'environment', cost });
    if (outcome === 'done' || outcome === 'later') {
      return { ...(await readOutputs(hook, workspace, outcome === 'later')), cost };
    }
    const { backgroundLimitMs } = options;
    const stop = { isStopped, why: stopText(signal) };
    const reason = describeFailure(exit, { path, timeoutMs, backgroundLimitMs, ...stop }) ?? 'it was ended';
    const by = exit.isLost === true ? 'environment' : 'hook';
    const how = { isPermanent: outcome === 'permanent', isCutOff: isCutOff(exit) || isStopped };
    return failedRun(hook.name, exit, { reason, by, cost, ...how, ...(await writtenBefore(exit, workspace)) });
  } finally {
    workspace.close();
  }
}

function traceOf({ traceparent }: ExecuteRequest): Readonly<Record<string, string>> {
  return traceparent === undefined ? {} : { TRACEPARENT: traceparent };
}

function limitsOf(
  { hook, isAsked = false }: ExecuteRequest,
  options: ProcessExecutorOptions,
): Pick<SpawnRequest, 'timeoutMs' | 'hold'> {
  const { timeoutMs } = hook.settings;
  return { ...(timeoutMs !== undefined && { timeoutMs }), ...(!isAsked && holdOf(hook, options)) };
}

/** What a hook that has not failed left in the background may still write patches. */
function holdOf(hook: Hook, { backgroundLimitMs, plainExitCodes }: ProcessExecutorOptions): Pick<SpawnRequest, 'hold'> {
  if (backgroundLimitMs === 0) return {};
  const { success = [], later = [75] } = hook.settings.outcome ?? {};
  const exitCodes = [0, ...success, ...later].filter((code) => {
    const outcome = outcomeOfExitCode(code, hook.settings.outcome, plainExitCodes === true);
    return outcome === 'done' || outcome === 'later';
  });
  return { hold: { exitCodes, limitMs: backgroundLimitMs } };
}

/** The failure of a run whose files could not be created. */
export function noPlace(hook: string, folder: string, error: unknown): FailedExecution {
  const reason = `its files could not be written to ${folder}: ${messageOf(error)}; see --tmp-dir`;
  const failure = new HookFailedError(failureMessage(hook, reason, ''), { cause: error });
  return { type: 'failed', by: 'environment', error: failure };
}

type ReadOutputs =
  | { readonly type: 'exited'; readonly outputs: HookOutputs; readonly isLater?: true }
  | { readonly type: 'failed'; readonly by: 'output'; readonly error: HookOutputError };

async function readOutputs(hook: Hook, workspace: Workspace, isLater: boolean): Promise<ReadOutputs> {
  try {
    return { type: 'exited', outputs: await workspace.readOutputs(), ...(isLater && { isLater }) };
  } catch (error) {
    const message = `hook ${hook.name}: its output cannot be read: ${messageOf(error)}`;
    return { type: 'failed', by: 'output', error: new HookOutputError(message, { cause: error }) };
  }
}

async function writtenBefore(
  { exitCode, heldBy }: Exit,
  workspace: Workspace,
): Promise<Pick<FailedExecution, 'outputs'>> {
  try {
    if (exitCode === undefined || heldBy !== undefined) {
      // A run that was killed may have written half a document; a result is whole, or it is not read.
      const result = await workspace.readResult();
      return result === '' ? {} : { outputs: { patch: '', metrics: '', result } };
    }
    const { patch, metrics, result } = await workspace.readOutputs();
    return { outputs: { patch, metrics, result } };
  } catch {
    // The failure of the hook matters more than an unreadable output.
    return {};
  }
}
