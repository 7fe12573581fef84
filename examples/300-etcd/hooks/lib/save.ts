import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Save } from './act.ts';

const run = promisify(execFile);

/** Saves what a member has in a folder of the operator, in one file for each cluster, and reads it again whole. */
export function saveIn(folder: string, cluster: string, signal: AbortSignal): Save {
  return async (endpoint) => {
    const file = join(folder, `${cluster}.db`);
    const part = `${file}.part`;
    try {
      await run('etcdctl', ['--endpoints', endpoint, 'snapshot', 'save', part], { signal });
      await run('etcdutl', ['snapshot', 'status', part, '-w', 'json'], { signal });
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  };
}
