/** A request of the operator to the spawner process. */
export type SpawnerRequest =
  /** The first request, sent once, and once after each `reset`. */
  | ({ readonly type: 'setup' } & SpawnerSettings)
  | ({ readonly type: 'spawn'; readonly id: number } & SpawnRequest)
  /** Asks for a `pong`, to check that the process answers. */
  | { readonly type: 'ping' }
  | { readonly type: 'terminate'; readonly id: number }
  | { readonly type: 'refill'; readonly id: number }
  /** Kills all runs unless another fence comes within `leftMs`; without a time there is none any more. */
  | { readonly type: 'fence'; readonly leftMs?: number }
  /** Kills all runs at once, of which nothing more is reported; answered by a `reset`, after which `setup` may come again. */
  | { readonly type: 'reset' };

/** A report of the spawner process to the operator. */
export type SpawnerReport =
  | { readonly type: 'ready' }
  | { readonly type: 'pong' }
  /** The last report until the next `setup`. */
  | { readonly type: 'reset' }
  /** Sent only for a run that lasts longer than 20 ms. */
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | { readonly type: 'output'; readonly id: number; readonly lines: readonly OutputLine[] }
  | { readonly type: 'exit'; readonly id: number; readonly exit: Exit };

/** One process to start, in a process group of its own. */
export interface SpawnRequest {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the environment of the spawner process, which is that of the operator. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Captures standard output for the exit, up to this many bytes, instead of reporting lines. */
  readonly captureBytes?: number;
  /** Absent: what the process left behind is killed 100 ms after its end. */
  readonly hold?: HoldLimit;
}

/** For how long those who hold the output of a process that has exited are waited for. */
export interface HoldLimit {
  /** The exit codes after which they are. */
  readonly exitCodes: readonly number[];
  /** From the exit of the process; with `timeoutMs` that limit counts instead. */
  readonly limitMs: number;
}

/** The output streams of a process. */
export type OutputStream = 'stdout' | 'stderr';

/** A line that a process printed. */
export interface OutputLine {
  readonly stream: OutputStream;
  readonly line: string;
}

/** How a process ended: with `exitCode`, by `signal`, or with `startError` if it never started or was given up. */
export interface Exit {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  /** Who held the output of the process, which had exited, when the run was ended. */
  readonly heldBy?: string;
  /** Why the process could not be started, or was given up. */
  readonly startError?: StartError;
  /** The spawner process was lost during the run, so the result of the run is unknown. */
  readonly isLost?: true;
  /** Captured standard output; empty without `captureBytes`. */
  readonly stdout: string;
  /** The end of standard error, at most 16 KiB. */
  readonly stderr: string;
  readonly usage: Usage;
}

/** Why a process could not be started, or was given up. */
export interface StartError {
  /** An error code such as `ENOENT`, or empty. */
  readonly code: string;
  readonly message: string;
  /** The machine had too little time or room, so that another start may succeed. */
  readonly isShortage?: true;
}

/** The resource usage of a run; a field is absent when the system does not report it. */
export interface Usage {
  /** CPU time in steps of 10 ms; exact when summed over many runs. */
  readonly userCpuMs?: number;
  readonly systemCpuMs?: number;
  /** Sampled peak memory of the largest process of the run; absent when the run was too short for a sample. */
  readonly maxRssBytes?: number;
}

/** The settings of the spawner process. */
export interface SpawnerSettings {
  /** A private folder for its pipes. */
  readonly folder: string;
  /** Time from SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** How much output of one run is forwarded; the rest is counted and dropped. */
  readonly outputLimitBytes: number;
}
