import type { HookFailedError, HookOutputError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import type { HookFile } from '../hook/discover.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import type { HookLogEntry } from './warm-protocol.ts';
import type { HookOutputs } from './workspace.ts';

/**
 * The one way to have a hook executed. Whoever calls it does not know whether a run is a process of its own, a call in a
 * process that stays, or something else.
 */
export interface Executor {
  /** Runs `hook --config`, or loads the module of a warm hook, anew each time; never rejects. */
  readConfig(file: HookFile, signal: AbortSignal): Promise<Exit>;
  /** Runs a hook once; never rejects, also when `signal` ends the hook. */
  execute(request: ExecuteRequest, signal: AbortSignal): Promise<Execution>;
  /** Ends every process that outlives its run. */
  close(): Promise<void>;
}

export interface ExecuteRequest {
  readonly hook: Hook;
  /** The binding contexts as JSON, in pieces. */
  readonly contexts: readonly Uint8Array[];
  /** Called with everything the hook prints or logs, in order, until the run has ended. */
  readonly onOutput: (output: HookOutput) => void;
}

/** A line that a hook printed, or an entry that a warm hook gave to its `log`. */
export type HookOutput =
  | { readonly type: 'line'; readonly line: OutputLine }
  | { readonly type: 'entry'; readonly entry: HookLogEntry };

/** What one run cost. */
export interface RunCost {
  readonly durationMs: number;
  readonly usage: Usage;
}

/** What became of executing a hook: the outputs as the hook wrote them, not looked at yet. */
export type Execution =
  | { readonly type: 'exited'; readonly cost: RunCost; readonly outputs: HookOutputs }
  | FailedExecution;

export interface FailedExecution {
  readonly type: 'failed';
  /** Who is to blame: the hook, what it wrote, or what it ran in: a lost process, no room for its files. */
  readonly by: 'hook' | 'output' | 'environment';
  readonly error: HookFailedError | HookOutputError;
  /** Absent when the hook did not get as far as running. */
  readonly cost?: RunCost;
  /** What the hook wrote before it failed; absent where it is half a document or nothing. */
  readonly outputs?: Pick<HookOutputs, 'patch' | 'metrics'>;
}
