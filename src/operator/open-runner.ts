import { resolve } from 'node:path';
import type { Logger } from '../log.ts';
import { createRunFolder } from '../runner/run-folder.ts';
import { createRunner, type Runner } from '../runner/runner.ts';
import type { SpawnerChild } from '../runner/spawner-child.ts';
import { createSpawner } from '../runner/spawner.ts';
import { writeProgram } from './program-link.ts';

// A warm hook is asked by its AbortSignal first, and by SIGTERM then: both together take little longer than SIGTERM alone.
const ASKING_SHARE = 0.2;

export interface RunnerSettings {
  readonly hooksDir: string;
  readonly tmpDir: string;
  readonly keepTmpFiles: boolean;
  readonly logProxyHookJson: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How hooks call this program. */
  readonly program: { readonly node: string; readonly program: string };
  /** From SIGTERM to SIGKILL when a hook is ended; absent: what is usual. */
  readonly killAfterMs?: number;
  /** A spawner process that is on its way up; absent: one is started. */
  readonly spawner?: SpawnerChild;
  readonly log: Logger;
}

/** Starts the processes that run hooks; they end, and their files go, with `ends`. */
export function openRunner(settings: RunnerSettings, ends: AsyncDisposableStack): Runner {
  const { log, env, hooksDir, tmpDir, keepTmpFiles, logProxyHookJson } = settings;
  const folder = createRunFolder({ tmpDir, keepTmpFiles });
  ends.defer(() => folder.remove());
  const { killAfterMs: graceMs, spawner: first } = settings;
  const spawner = createSpawner({ folder: folder.path, env, log, first, ...(graceMs !== undefined && { graceMs }) });
  ends.defer(async () => spawner.close());
  const binDir = writeProgram(folder.path, settings.program);
  const runner = createRunner({
    spawner,
    folder: folder.path,
    keepTmpFiles,
    hooksDir: resolve(hooksDir),
    env,
    binDir,
    log,
    logProxyHookJson,
    ...(graceMs !== undefined && { warm: { graceMs: graceMs * ASKING_SHARE } }),
  });
  ends.defer(async () => runner.close());
  return runner;
}
