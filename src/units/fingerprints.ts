import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookFile } from '../hook/discover.ts';

const MODULE_FILES = /\.(?:[cm]?[jt]s|json)$/;

/**
 * A fingerprint for each of `files`, by hook name: a hook whose fingerprint differs must be loaded again. It covers the
 * hook's file and what `hooklet-executors.yaml` says of it; for a warm hook, whose process keeps modules loaded, also every module below `directory`.
 */
export async function fingerprintsOf(
  directory: string,
  files: readonly HookFile[],
): Promise<ReadonlyMap<string, string>> {
  const hasWarm = files.some(({ type }) => type === 'warm');
  const modules = hasWarm ? await modulesOf(directory, new Set(files.map(({ path }) => path))) : '';
  const entries = files.map(async ({ name, path, type, executor }): Promise<[string, string]> => [
    name,
    `${type} ${JSON.stringify(executor) ?? ''} ${await fingerprint(path)}${type === 'warm' ? modules : ''}`,
  ]);
  return new Map(await Promise.all(entries));
}

/**
 * The fingerprints of all modules below `directory` that are not hooks. Leaves out `node_modules`, which has too many
 * files, and hidden folders.
 */
async function modulesOf(directory: string, hooks: ReadonlySet<string>): Promise<string> {
  const found: string[] = [];
  const folders = [directory];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) folders.push(path);
      else if (MODULE_FILES.test(entry.name) && !hooks.has(path)) found.push(path);
    }
  }
  const lines = found.toSorted().map(async (path) => `\n${path} ${await fingerprint(path)}`);
  return (await Promise.all(lines)).join('');
}

async function fingerprint(path: string): Promise<string> {
  try {
    // With ctime: the last load may have come before the writer was done, such as before it set the file's mode.
    const { mtimeMs, ctimeMs, mode, size, ino } = await stat(path);
    return `${mtimeMs} ${ctimeMs} ${mode} ${size} ${ino}`;
  } catch {
    return 'unreadable';
  }
}
