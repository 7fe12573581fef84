import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RemoteFiles } from '../../hook/remote-run.ts';
import { explainResultSize, resultBytes } from '../../hook/result-wire.ts';
import { writeContextFile } from '../../runner/context-file.ts';
import { readRunOutputs, RUN_FILES } from '../../runner/workspace.ts';

const READY = 'ready';
/** Another container of the Pod reads and writes them, as another user. */
const OPEN_FILE = 0o666;
const OPEN_FOLDER = 0o777;

/** Whether the files of the run are there. */
export function isReady(folder: string): boolean {
  return existsSync(join(folder, READY));
}

/** Writes the files of a run for a hook of any user; the last of them says that they are there. */
export async function writeRunFiles(folder: string, contexts: readonly Uint8Array[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await openFolder(folder);
  const { context, outputs } = RUN_FILES;
  for (const name of [context, ...Object.values(outputs)]) await rm(join(folder, name), { force: true });
  await writeContextFile(join(folder, context), contexts);
  for (const name of Object.values(outputs)) await writeFile(join(folder, name), '', { flag: 'wx' });
  // By `chmod`, as the umask takes nothing away from it.
  for (const name of [context, ...Object.values(outputs)]) await chmod(join(folder, name), OPEN_FILE);
  await writeFile(join(folder, READY), '');
}

/** A volume may belong to somebody else, and be open already. */
async function openFolder(folder: string): Promise<void> {
  try {
    await chmod(folder, OPEN_FOLDER);
  } catch (error) {
    const { mode } = await lstat(folder);
    if ((mode & OPEN_FOLDER) !== OPEN_FOLDER) throw error;
  }
}

/** Reads what the hook wrote, with the limits and checks of the operator; rejects with what is wrong. */
export async function readRunFiles(folder: string): Promise<RemoteFiles> {
  const files = await readRunOutputs(folder);
  const tooLarge = explainResultSize(resultBytes(files));
  if (tooLarge !== undefined) throw new Error(tooLarge);
  return files;
}
