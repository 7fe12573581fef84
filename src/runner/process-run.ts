import { dirname } from 'node:path';
import { HookFailedError, HookOutputError, type HookFailure } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import { describeFailure, failureMessage } from './failure.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import type { HookLogEntry } from './warm-protocol.ts';
import type { HookOutputs, Workspace, Workspaces } from './workspace.ts';

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
    if (reason !== undefined) throw failedRun(hook, { reason, exit, durationMs, workspace });
    return { durationMs, usage: exit.usage, outputs: readOutputs(hook, workspace) };
  } finally {
    workspace.close();
  }
}

async function prepare(
  hook: Hook,
  contexts: readonly Uint8Array[],
  { workspaces, folder }: ProcessRunOptions,
): Promise<Workspace> {
  try {
    return await workspaces.open(hook.name, contexts);
  } catch (error) {
    const reason = `its files could not be written to ${folder}: ${messageOf(error)}; see --tmp-dir`;
    throw new HookFailedError(failureMessage(hook.name, reason, ''), { cause: error, isEnvironmental: true });
  }
}

function readOutputs(hook: Hook, workspace: Workspace): HookOutputs {
  try {
    return workspace.readOutputs();
  } catch (error) {
    throw new HookOutputError(`hook ${hook.name}: what it wrote cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

interface FailedRun {
  readonly reason: string;
  readonly exit: Exit;
  readonly durationMs: number;
  readonly workspace: Workspace;
}

function failedRun(hook: Hook, { reason, exit, durationMs, workspace }: FailedRun): HookFailedError {
  const { exitCode, signal, timedOut, usage } = exit;
  // Of a run that was cut off, half a document may be all there is.
  const outputs = exitCode === undefined ? NOTHING : readRequests(workspace);
  const failure = {
    durationMs,
    timedOut,
    usage,
    ...outputs,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
  };
  const isEnvironmental = exit.isLost === true;
  return new HookFailedError(failureMessage(hook.name, reason, exit.stderr), { failure, isEnvironmental });
}

const NOTHING = { patch: '', metrics: '' };

function readRequests(workspace: Workspace): Pick<HookFailure, 'patch' | 'metrics'> {
  try {
    const { patch, metrics } = workspace.readOutputs();
    return { patch, metrics };
  } catch {
    // Why the hook failed matters more than what else is wrong with it.
    return NOTHING;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
