/*
 * Starts processes through the spawner process. The operator creates one spawner at boot; the executors call `spawn`
 * for a run to its end, and `start` for a warm process. One `SpawnerLink` at a time is alive: when its process ends or
 * stops answering, its runs fail with `isLost`, `onLost` is called, and a new process is started at once, or at the
 * next request if the old one never became ready. After `close` nothing is started, and every request gets an
 * exit that says so.
 */

import { aborted } from '../lib/aborted.ts';
import type { Fence } from '../lib/fence.ts';
import type { Logger } from '../log.ts';
import type { SpawnerChild } from './spawner-child.ts';
import { type SpawnedProcess, SpawnerLink, type SpawnerLinkOptions } from './spawner-link.ts';
import type { Exit, OutputLine, SpawnRequest } from './spawner-protocol.ts';

const DEFAULT_GRACE_MS = 5000;
const DEFAULT_OUTPUT_LIMIT_BYTES = 1024 * 1024;

export interface SpawnerOptions {
  /** The private folder of this operator, from `createRunFolder`. */
  readonly folder: string;
  /** The operator's environment; every hook inherits it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Time from SIGTERM to SIGKILL; default 5 s. */
  readonly graceMs?: number;
  /** How much output of one run is logged; default 1 MiB. */
  readonly outputLimitBytes?: number;
  /** File of the spawner process; default: the one next to this module. */
  readonly entry?: string;
  /** Called when the spawner process died, or was killed because it did not answer. */
  readonly onLost?: (() => void) | undefined;
  /** A process that was started earlier; by default one is started now. */
  readonly first?: SpawnerChild | undefined;
}

/** How to follow and to end one process. */
export interface SpawnOptions {
  readonly onLine: (line: OutputLine) => void;
  /** Aborting it terminates the process group. */
  readonly signal: AbortSignal;
}

/** Starts processes through the spawner process, so that the operator, which may be large, never forks. */
export interface Spawner {
  /** Runs a process to its end; never rejects: failures are part of the exit. */
  spawn(request: SpawnRequest, options: SpawnOptions): Promise<Exit>;
  /** Starts a process that runs until `terminate`. */
  start(request: SpawnRequest, onLine: (line: OutputLine) => void): SpawnedProcess;
  readonly fence: Fence;
  /** Why nothing can be started at the moment; undefined when the spawner answers. */
  readonly problem: string | undefined;
  /** Waits until `signal` aborts, then closes. */
  run(signal: AbortSignal): Promise<void>;
  /** Ends the spawner process and everything that it runs. */
  close(): Promise<void>;
}

/** Creates the spawner; starts its process at once, and again whenever it dies. */
export function createSpawner(options: SpawnerOptions): Spawner {
  const linkOptions = withDefaults(options);
  let isClosed = false;
  let link = connect(options.first);

  function connect(child?: SpawnerChild): SpawnerLink {
    const opened = new SpawnerLink(linkOptions, child);
    void opened.ended.then((reason) => {
      if (isClosed) return;
      options.log.error({ reason }, 'spawner process ended');
      options.onLost?.();
      // A process that never became ready would die again: the next request tries once more.
      if (opened.wasReady) link = connect();
    });
    return opened;
  }

  function start(request: SpawnRequest, onLine: (line: OutputLine) => void): SpawnedProcess {
    if (isClosed) return NOT_STARTED;
    if (!link.isAlive) link = connect();
    return link.start(request, onLine);
  }

  async function close(): Promise<void> {
    isClosed = true;
    await link.close();
  }

  return {
    get problem() {
      return link.problem;
    },
    start,
    fence: (leftMs) => link.fence(leftMs),
    close,
    spawn: async (request, { onLine, signal }) => {
      const spawned = start(request, onLine);
      const terminate = (): void => spawned.terminate();
      if (signal.aborted) terminate();
      signal.addEventListener('abort', terminate, { once: true });
      try {
        return await spawned.exit;
      } finally {
        signal.removeEventListener('abort', terminate);
      }
    },
    run: async (signal) => {
      await aborted(signal);
      await close();
    },
  };
}

/** The result of each request after `close`. */
const NOT_STARTED: SpawnedProcess = {
  exit: Promise.resolve({
    timedOut: false,
    isLost: true,
    startError: { code: '', message: 'hooklet is stopping, nothing is started' },
    stdout: '',
    stderr: '',
    usage: {},
  }),
  terminate: () => {},
  kill: () => {},
  refill: () => {},
};

function withDefaults(options: SpawnerOptions): SpawnerLinkOptions {
  const { folder, env, entry, graceMs = DEFAULT_GRACE_MS, outputLimitBytes = DEFAULT_OUTPUT_LIMIT_BYTES } = options;
  return { entry, env, settings: { folder, graceMs, outputLimitBytes } };
}
