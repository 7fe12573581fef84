import { HookFailedError } from '../errors.ts';
import type { HookFile } from '../hook/discover.ts';
import { CONFIG_LIMIT_MS } from '../hook/load.ts';
import type { Fence } from '../lib/fence.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Logger } from '../log.ts';
import type { Execution, Executor } from './executor.ts';
import { failureMessage } from './failure.ts';
import { createOutputLog } from './output-log.ts';
import { noPlace, processExecutor } from './process-executor.ts';
import { shellLibraryFile } from './shell-library.ts';
import type { Spawner } from './spawner.ts';
import type { Exit } from './spawner-protocol.ts';
import { WarmHooks, type WarmLimits } from './warm-hooks.ts';
import { Workspaces } from './workspace.ts';

const DEFAULT_BACKGROUND_LIMIT_MS = 600_000;

export interface RunnerOptions {
  readonly spawner: Spawner;
  /** The private folder of this operator, from `createRunFolder`. */
  readonly folder: string;
  /** Recreates the folder if somebody removed it; throws when that is not possible. */
  readonly restoreFolder?: () => void;
  readonly keepTmpFiles: boolean;
  /** The hooks folder, where `--config` is run. */
  readonly hooksDir: string;
  /** The operator's environment; only its PATH and HOOKLET_SHELL_LIB are used. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Added to the environment of all hooks; a PATH in it replaces that of the operator. */
  readonly hookEnv?: Readonly<Record<string, string>> | undefined;
  /** The folder of the `hooklet` program, prepended to the PATH of hooks. */
  readonly binDir?: string;
  readonly log: Logger;
  readonly logProxyHookJson: boolean;
  /** Whether output is logged as shell-operator does; default false. */
  readonly logCompat?: boolean;
  /** The exit codes 75 and 78 are failures as any other; default false. */
  readonly plainExitCodes?: boolean;
  /** How long background jobs that hold the output of a hook are waited for; 0: not at all; default 10 minutes. */
  readonly backgroundLimitMs?: number;
  readonly warm?: WarmLimits;
}

/** An executor that reports why it cannot work. */
export interface Runner extends Executor {
  /** Why no hook can be started at the moment; undefined when hooks can be started. */
  readonly problem: string | undefined;
  readonly fence: Fence;
}

/** Creates the runner: process hooks run in a process of their own, warm hooks in a warm process. */
export function createRunner(options: RunnerOptions): Runner {
  const { spawner, folder, restoreFolder = () => {} } = options;
  const executors = openExecutors(options);
  return {
    get problem() {
      return spawner.problem;
    },
    fence: spawner.fence,
    execute: async (request, signal) => {
      const { name, type } = request.hook;
      if (signal.aborted) return notExecuted(name, 'the operator is stopping, it was not started');
      try {
        restoreFolder();
      } catch (error) {
        return noPlace(name, folder, error);
      }
      try {
        return await executors[type].execute(request, signal);
      } catch (cause) {
        return notExecuted(name, `it could not be run: ${messageOf(cause)}`, cause);
      }
    },
    readConfig: async (file, signal) => {
      try {
        restoreFolder();
      } catch (error) {
        return notRestored(error);
      }
      return executors[file.type].readConfig(file, signal);
    },
    close: async () => {
      await Promise.all(Object.values(executors).map(async (executor) => executor.close()));
    },
  };
}

function openExecutors(options: RunnerOptions): Readonly<Record<HookFile['type'], Executor>> {
  const { spawner, folder, keepTmpFiles, hooksDir, log, plainExitCodes = false } = options;
  const { backgroundLimitMs = DEFAULT_BACKGROUND_LIMIT_MS } = options;
  const env = hookEnv(options);
  const workspaces = new Workspaces({ folder, keepTmpFiles });
  const outputLog = createOutputLog(options);
  const limits = { loadLimitMs: CONFIG_LIMIT_MS, ...options.warm };
  return {
    process: processExecutor({ spawner, env, workspaces, folder, hooksDir, plainExitCodes, backgroundLimitMs }),
    warm: new WarmHooks({ spawner, folder, env, log, outputLog, limits }),
  };
}

function notExecuted(hook: string, reason: string, cause?: unknown): Execution {
  const error = new HookFailedError(failureMessage(hook, reason, ''), { cause });
  return { type: 'failed', by: 'environment', error };
}

function notRestored(error: unknown): Exit {
  const message = `its files could not be created: ${messageOf(error)}; see --tmp-dir`;
  return { timedOut: false, startError: { code: '', message, isShortage: true }, stdout: '', stderr: '', usage: {} };
}

function hookEnv({ env: own, hookEnv: added, binDir }: RunnerOptions): Readonly<Record<string, string>> {
  const env = { ...own, ...added };
  const given = env['HOOKLET_SHELL_LIB'] ?? '';
  const library = { ...added, HOOKLET_SHELL_LIB: given === '' ? shellLibraryFile() : given };
  const path = env['PATH'] ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return binDir === undefined ? library : { ...library, PATH: `${binDir}:${path}` };
}
