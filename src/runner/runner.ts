import type { Hook } from '../hook/binding.ts';
import type { HookFile } from '../hook/discover.ts';
import { CONFIG_LIMIT_MS } from '../hook/load.ts';
import type { Logger, LogFields } from '../log.ts';
import { OUTPUT_LIMITS } from './output-limits.ts';
import { createOutputLog } from './output-log.ts';
import { type HookRun, type ProcessRunOptions, restoreForRun, runProcess, type RunResult } from './process-run.ts';
import type { Spawner } from './spawner.ts';
import type { Exit } from './spawner-protocol.ts';
import { WarmHooks, type WarmLimits } from './warm-hooks.ts';
import { Workspaces } from './workspace.ts';

export type { RunResult } from './process-run.ts';

export interface RunnerOptions {
  readonly spawner: Spawner;
  /** The private folder of this operator, from `createRunFolder`. */
  readonly folder: string;
  /** Makes the folder again where somebody removed it; throws where that is not possible. */
  readonly restoreFolder?: () => void;
  readonly keepTmpFiles: boolean;
  /** The hooks folder, where `--config` is run. */
  readonly hooksDir: string;
  /** The operator's environment; only its PATH is looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the `hooklet` program, put before the PATH of hooks. */
  readonly binDir?: string;
  readonly log: Logger;
  readonly logProxyHookJson: boolean;
  readonly warm?: WarmLimits;
}

export interface RunRequest {
  readonly hook: Hook;
  /** The binding contexts as JSON, in pieces. */
  readonly contexts: readonly Uint8Array[];
  /** Which run it is, for the log: binding, queue, event, task. */
  readonly fields: LogFields;
}

export interface Runner {
  /** Runs a hook once; rejects with HookFailedError, also when `signal` ends it. */
  run(request: RunRequest, signal: AbortSignal): Promise<RunResult>;
  /** Runs `hook --config`, or loads the module of a warm hook, anew each time; never rejects. */
  readConfig(file: HookFile, signal?: AbortSignal): Promise<Exit>;
  /** Why no hook is started at the moment; undefined when all is well. */
  readonly problem: string | undefined;
  /** Ends the warm hooks. */
  close(): Promise<void>;
}

/** Runs hooks: executables each in a process of its own, definitions in a process that stays. */
export function createRunner(options: RunnerOptions): Runner {
  const { spawner, folder, keepTmpFiles, restoreFolder = () => {} } = options;
  const env = hookEnv(options);
  const outputLog = createOutputLog(options);
  const limits = { loadLimitMs: CONFIG_LIMIT_MS, ...options.warm };
  const warmHooks = new WarmHooks({ spawner, folder, env, log: options.log, outputLog, limits });
  const workspaces = new Workspaces({ folder, keepTmpFiles });
  const processOptions: ProcessRunOptions = { spawner, env, workspaces, folder, restoreFolder };
  const never = new AbortController().signal;

  return {
    get problem() {
      return spawner.problem;
    },
    run: async ({ hook, contexts, fields }, signal) => {
      signal.throwIfAborted();
      const runFields = { ...fields, hook: hook.name };
      const run: HookRun = {
        hook,
        contexts,
        signal,
        onLine: (line) => outputLog.line(runFields, line),
        onLog: (entry) => outputLog.entry(runFields, entry),
      };
      if (hook.type === 'process') return runProcess(run, processOptions);
      restoreForRun(hook.name, processOptions);
      return warmHooks.run(run);
    },
    readConfig: async (file, signal = never) => {
      try {
        restoreFolder();
      } catch (error) {
        return notRestored(error);
      }
      if (file.type === 'warm') return warmHooks.load(file, signal);
      const limits = { timeoutMs: CONFIG_LIMIT_MS, captureBytes: OUTPUT_LIMITS.config };
      const request = { path: file.path, args: ['--config'], cwd: options.hooksDir, env, ...limits };
      return spawner.spawn(request, { onLine: () => {}, signal });
    },
    close: async () => {
      await warmHooks.close();
    },
  };
}

function notRestored(error: unknown): Exit {
  const message = `its files have no place: ${error instanceof Error ? error.message : String(error)}; see --tmp-dir`;
  return { timedOut: false, startError: { code: '', message }, stdout: '', stderr: '', usage: {} };
}

function hookEnv({ env, binDir }: RunnerOptions): Readonly<Record<string, string>> {
  const path = env['PATH'] ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return binDir === undefined ? {} : { PATH: `${binDir}:${path}` };
}
