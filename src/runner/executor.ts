import type { HookFailedError, HookOutputError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import type { HookFile } from '../hook/discover.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import type { HookLogEntry } from './warm-protocol.ts';
import type { HookOutputs } from './workspace.ts';

/**
 * The only way to run a hook. Callers do not know whether a run is a process of its own, a call in a warm process, or
 * something else.
 */
export interface Executor {
  /** Runs `hook --config`, or loads the module of a warm hook, again at each call; never rejects. */
  readConfig(file: HookFile, signal: AbortSignal): Promise<Exit>;
  /** Runs a hook once; never rejects, not even when `signal` ends the run. */
  execute(request: ExecuteRequest, signal: AbortSignal): Promise<Execution>;
  /** Ends every process that lives longer than one run. */
  close(): Promise<void>;
}

/** One run to execute. */
export interface ExecuteRequest {
  readonly hook: Hook;
  /** What the hook is given as `RUN_ID`. */
  readonly runId: string;
  /** From 1; absent: 1. */
  readonly attempt?: number;
  /** The `runId` of the ticks that it is about, and of nothing else; absent: it is about something else. */
  readonly ticks?: readonly string[];
  /** What the hook is given as `TRACEPARENT`: the span that spans of its own belong to. */
  readonly traceparent?: string;
  /** The binding contexts as JSON, in chunks. */
  readonly contexts: readonly Uint8Array[];
  /** Added to the environment of a process hook. */
  readonly env?: Readonly<Record<string, string>>;
  /** A caller waits for the response: what the hook left in the background is not waited for. Default false. */
  readonly isAsked?: boolean;
  /** Called for each line and log entry of the hook, in order, until the run has ended. */
  readonly onOutput: (output: HookOutput) => void;
}

/** A line that a hook printed, or an entry that a warm hook passed to its `log`. */
export type HookOutput =
  | { readonly type: 'line'; readonly line: OutputLine }
  | { readonly type: 'entry'; readonly entry: HookLogEntry };

/** The duration and resource usage of one run. */
export interface RunCost {
  readonly durationMs: number;
  readonly usage: Usage;
}

/** The result of a run: the outputs as the hook wrote them, not parsed yet, or a failure. */
export type Execution =
  | {
      readonly type: 'exited';
      readonly cost: RunCost;
      readonly outputs: HookOutputs;
      /** The exit code says that the work cannot be done yet. Default false. */
      readonly isLater?: boolean;
    }
  | FailedExecution;

/** The result of a failed run. */
export interface FailedExecution {
  readonly type: 'failed';
  /** The cause: the hook, its output, or its environment, such as a lost process or a full disk. */
  readonly by: 'hook' | 'output' | 'environment';
  readonly error: HookFailedError | HookOutputError;
  /** Absent when the hook was not started. */
  readonly cost?: RunCost;
  /** The exit code says that another attempt is useless. Default false. */
  readonly isPermanent?: boolean;
  /**
   * The hook was ended, by a signal, its time limit or the stop of the operator: what it says about its outcome does not
   * count. Default false.
   */
  readonly isCutOff?: boolean;
  /** What the hook wrote before it failed; absent when it wrote nothing usable, all but the result when it was cut off. */
  readonly outputs?: Pick<HookOutputs, 'patch' | 'metrics' | 'result'>;
}
