/** What the operator asks of the spawner process. */
export type SpawnerRequest =
  /** The first one, once. */
  | ({ readonly type: 'setup' } & SpawnerSettings)
  | ({ readonly type: 'spawn'; readonly id: number } & SpawnRequest)
  /** Asks for a `pong`, to hear whether anybody is there. */
  | { readonly type: 'ping' }
  | { readonly type: 'terminate'; readonly id: number }
  | { readonly type: 'refill'; readonly id: number };

/** What the spawner process tells the operator. */
export type SpawnerReport =
  | { readonly type: 'ready' }
  | { readonly type: 'pong' }
  /** Only of a run that takes a while. */
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | { readonly type: 'output'; readonly id: number; readonly lines: readonly OutputLine[] }
  | { readonly type: 'exit'; readonly id: number; readonly exit: Exit };

/** One process to start, in a process group of its own. */
export interface SpawnRequest {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the environment of the spawner, which is the operator's. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Keeps standard output for the exit, up to this many bytes, instead of reporting lines. */
  readonly captureBytes?: number;
}

export type OutputStream = 'stdout' | 'stderr';

export interface OutputLine {
  readonly stream: OutputStream;
  readonly line: string;
}

/** How a process ended: by `exitCode`, by `signal`, or never began. */
export interface Exit {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  /** Why the process could not be started, or is no longer followed. */
  readonly startError?: StartError;
  /** The spawner process ended during the run, which says nothing about what was run. */
  readonly isLost?: true;
  /** Only with `captureBytes`. */
  readonly stdout: string;
  /** The last lines, bounded. */
  readonly stderr: string;
  readonly usage: Usage;
}

export interface StartError {
  /** Such as `ENOENT`; empty when there is none. */
  readonly code: string;
  readonly message: string;
}

/** What a run cost; a field is absent where the system does not tell. */
export interface Usage {
  /** User and system time in steps of 10 ms; exact in the sum over many runs. */
  readonly userCpuMs?: number;
  readonly systemCpuMs?: number;
  /** Peak of the largest process of the run, sampled; absent when the run was too short for a sample. */
  readonly maxRssBytes?: number;
}

/** How the spawner process is set up. */
export interface SpawnerSettings {
  /** A private folder for its pipes. */
  readonly folder: string;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** Output of one run that is forwarded; the rest is counted and dropped. */
  readonly outputLimitBytes: number;
}
