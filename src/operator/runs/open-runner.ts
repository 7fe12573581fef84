import { join, resolve } from 'node:path';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { createRunFolder, type RunFolder } from '../../runner/run-folder.ts';
import { createRunner, type Runner } from '../../runner/runner.ts';
import type { SpawnerChild } from '../../runner/spawner-child.ts';
import { createSpawner } from '../../runner/spawner.ts';
import { BIN_FOLDER, PROGRAM_FILE, writeProgram } from './program-link.ts';

// A warm hook is ended by its AbortSignal first and by SIGTERM then. The first gets this share of the time that the
// second gets, so that both together take little longer than SIGTERM alone.
const ASKING_SHARE = 0.2;

export interface RunnerSettings {
  readonly hooksDir: string;
  readonly tmpDir: string;
  readonly keepTmpFiles: boolean;
  readonly logProxyHookJson: boolean;
  /** Whether output is logged as shell-operator does; default false. */
  readonly logCompat?: boolean;
  /** The exit codes 75 and 78 are failures as any other; default false. */
  readonly plainExitCodes?: boolean;
  /** How long background jobs that hold the output of a hook are waited for; absent: the default of the runner. */
  readonly backgroundLimitMs?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Added to the environment of all hooks. */
  readonly hookEnv?: Readonly<Record<string, string>>;
  /** The executables behind the `hooklet` command in the PATH of hooks. */
  readonly program: { readonly node: string; readonly program: string };
  /** From SIGTERM to SIGKILL when a hook is ended; absent: the default of the runner. */
  readonly killAfterMs?: number;
  /** A spawner process that was started before; absent: one is started. */
  readonly spawner?: SpawnerChild;
  /** Puts something around the runner, such as what records its runs. */
  readonly around?: (runner: Runner) => Runner;
  readonly log: Logger;
}

/** Opens the runner and its folder; `ends` closes it, which ends its processes and removes its files. */
export function openRunner(
  settings: RunnerSettings,
  ends: AsyncDisposableStack,
  metrics?: Pick<Metrics, 'spawnerRestarts' | 'runFolderRestored'>,
): Runner {
  const { log, env, hooksDir, keepTmpFiles, logProxyHookJson, logCompat = false, plainExitCodes = false } = settings;
  const { backgroundLimitMs } = settings;
  const folder = openFolder(settings, ends, () => metrics?.runFolderRestored.inc({}));
  const { killAfterMs: graceMs, spawner: first } = settings;
  const onLost = (): void => metrics?.spawnerRestarts.inc({});
  const options = { folder: folder.path, env, log, first, onLost };
  const spawner = createSpawner({ ...options, ...(graceMs !== undefined && { graceMs }) });
  ends.defer(async () => spawner.close());
  const runner = createRunner({
    spawner,
    folder: folder.path,
    restoreFolder: () => folder.restore(),
    keepTmpFiles,
    hooksDir: resolve(hooksDir),
    env,
    hookEnv: settings.hookEnv,
    binDir: join(folder.path, BIN_FOLDER),
    log,
    logProxyHookJson,
    logCompat,
    plainExitCodes,
    ...(backgroundLimitMs !== undefined && { backgroundLimitMs }),
    ...(graceMs !== undefined && { warm: { graceMs: graceMs * ASKING_SHARE } }),
  });
  ends.defer(async () => runner.close());
  return settings.around?.(runner) ?? runner;
}

function openFolder(
  { tmpDir, keepTmpFiles, program, log }: RunnerSettings,
  ends: AsyncDisposableStack,
  onRestored: () => void,
): RunFolder {
  const folder = createRunFolder({
    tmpDir,
    keepTmpFiles,
    contents: { file: PROGRAM_FILE, write: (path) => writeProgram(path, program) },
    onRestored: () => {
      log.warn({ folder: folder.path }, 'the folder for the files of runs was removed, it was created again');
      onRestored();
    },
    onLeft: (err) => log.warn({ err, folder: folder.path }, 'the folder for the files of runs could not be removed'),
  });
  const sweeping = folder.sweep();
  ends.defer(async () => {
    folder.remove();
    await sweeping;
  });
  return folder;
}
