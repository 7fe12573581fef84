import { execFile } from 'node:child_process';
import type { HookFile } from '../../src/hook/discover.ts';
import type { ConfigRun } from '../../src/hook/load.ts';

/** Runs `hook --config` for real, without the spawner. */
export async function runConfig({ path }: HookFile): Promise<ConfigRun> {
  const { promise, resolve } = Promise.withResolvers<ConfigRun>();
  execFile(path, ['--config'], (error, stdout, stderr) => {
    if (error === null) resolve({ exitCode: 0, stdout, stderr });
    else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr });
    else if (error.signal) resolve({ signal: error.signal, stdout, stderr });
    else resolve({ startError: { code: String(error.code), message: error.message }, stdout, stderr });
  });
  return promise;
}
