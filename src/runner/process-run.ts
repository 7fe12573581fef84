import { dirname } from 'node:path';
import { HookFailedError, HookOutputError, type HookFailure } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import { describeFailure, failureMessage } from './failure.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import type { HookLogEntry } from './warm-protocol.ts';
import type { HookOutputs, Workspace, Workspaces } from './workspace.ts';

const CLEARED = 'its files were removed while it ran: something clears the temporary folder, see --tmp-dir';

/** What a run that succeeded gives back. */
export interface RunResult {
  readonly durationMs: number;
  readonly usage: Usage;
  readonly outputs: HookOutputs;
}

export interface HookRun {
  readonly hook: Hook;
  /** The binding contexts as JSON, in pieces. */
  readonly contexts: readonly Uint8Array[];
  readonly onLine: (line: OutputLine) => void;
  readonly onLog: (entry: HookLogEntry) => void;
  readonly signal: AbortSignal;
}

export interface ProcessRunOptions {
  readonly spawner: Spawner;
  /** Added to the operator's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspaces: Workspaces;
  /** Makes the folder again where somebody removed it; throws where that is not possible. */
  readonly restoreFolder?: (() => void) | undefined;
  /** Where the workspaces lie, for the error. */
  readonly folder: string;
}

/** Runs an executable hook once: contexts in through a file, results out through files, lines to `onLine`. */
export async function runProcess(run: HookRun, options: ProcessRunOptions): Promise<RunResult> {
  const { hook, contexts, onLine, signal } = run;
  const startedAt = performance.now();
  const workspace = await prepare(hook, contexts, options);
  try {
    const { path, settings } = hook;
    const { timeoutMs } = settings;
    const env = { ...options.env, ...workspace.env };
    const request = { path, args: [], cwd: dirname(path), env, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    const exit = await options.spawner.spawn(request, { onLine, signal });
    const durationMs = performance.now() - startedAt;
    const reason = describeFailure(exit, { path, timeoutMs, isStopped: signal.aborted });
    // Asked first: without its files, a hook fails in any way, or says nothing.
    const isCleared = !workspace.isThere();
    if (reason !== undefined || isCleared) {
      throw await failedRun(hook, {
        reason: isCleared ? CLEARED : (reason ?? ''),
        exit,
        durationMs,
        workspace,
        isCleared,
      });
    }
    return { durationMs, usage: exit.usage, outputs: await readOutputs(hook, workspace) };
  } finally {
    workspace.close();
  }
}

async function prepare(hook: Hook, contexts: readonly Uint8Array[], options: ProcessRunOptions): Promise<Workspace> {
  restoreForRun(hook.name, options);
  try {
    return await options.workspaces.open(hook.name, contexts);
  } catch (error) {
    throw noPlace(hook.name, options.folder, error);
  }
}

/** Sees that there is a place for the files of a run. */
export function restoreForRun(hook: string, { restoreFolder, folder }: ProcessRunOptions): void {
  try {
    restoreFolder?.();
  } catch (error) {
    throw noPlace(hook, folder, error);
  }
}

function noPlace(hook: string, folder: string, error: unknown): HookFailedError {
  const reason = `its files could not be written to ${folder}: ${messageOf(error)}; see --tmp-dir`;
  return new HookFailedError(failureMessage(hook, reason, ''), { cause: error, isEnvironmental: true });
}

async function readOutputs(hook: Hook, workspace: Workspace): Promise<HookOutputs> {
  try {
    return await workspace.readOutputs();
  } catch (error) {
    throw new HookOutputError(`hook ${hook.name}: what it wrote cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

interface FailedRun {
  readonly reason: string;
  readonly exit: Exit;
  readonly durationMs: number;
  readonly workspace: Workspace;
  /** Whether its files were taken away while it ran. */
  readonly isCleared: boolean;
}

async function failedRun(hook: Hook, run: FailedRun): Promise<HookFailedError> {
  const { reason, exit, durationMs, workspace, isCleared } = run;
  const { exitCode, signal, timedOut, usage } = exit;
  // Of a run that was cut off, half a document may be all there is.
  const outputs = exitCode === undefined ? NOTHING : await readRequests(workspace);
  const failure = {
    durationMs,
    timedOut,
    usage,
    ...outputs,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
  };
  const isEnvironmental = exit.isLost === true || isCleared;
  return new HookFailedError(failureMessage(hook.name, reason, exit.stderr), { failure, isEnvironmental });
}

const NOTHING = { patch: '', metrics: '' };

async function readRequests(workspace: Workspace): Promise<Pick<HookFailure, 'patch' | 'metrics'>> {
  try {
    const { patch, metrics } = await workspace.readOutputs();
    return { patch, metrics };
  } catch {
    // Why the hook failed matters more than what else is wrong with it.
    return NOTHING;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
