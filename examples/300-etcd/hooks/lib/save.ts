import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Save } from './act.ts';
import { environment } from './etcdctl.ts';
import type { ClientEnvironment } from './tls/client-files.ts';

const run = promisify(execFile);

interface SaveOptions {
  readonly signal: AbortSignal;
  readonly client: ClientEnvironment;
}

/** Saves what a member has in a folder of the operator, in one file for each cluster, and reads it again whole. */
export function saveIn(folder: string, cluster: string, { signal, client }: SaveOptions): Save {
  return async (endpoint) => {
    const file = join(folder, `${cluster}.db`);
    const part = `${file}.part`;
    try {
      const env = { ...environment(), ...client };
      await run('etcdctl', ['--endpoints', endpoint, 'snapshot', 'save', part], { signal, env });
      await run('etcdutl', ['snapshot', 'status', part, '-w', 'json'], { signal });
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  };
}
