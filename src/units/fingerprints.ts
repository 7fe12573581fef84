import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookFile } from '../hook/discover.ts';

const MODULE_FILES = /\.(?:[cm]?[jt]s|json)$/;

/**
 * What of each hook below `directory` differs whenever it has to be loaded again: its file, and for one that stays
 * loaded also the modules it may import.
 */
export async function fingerprintsOf(
  directory: string,
  files: readonly HookFile[],
): Promise<ReadonlyMap<string, string>> {
  const hasWarm = files.some(({ type }) => type === 'warm');
  const modules = hasWarm ? await modulesOf(directory, new Set(files.map(({ path }) => path))) : '';
  const entries = files.map(async ({ name, path, type }): Promise<[string, string]> => [
    name,
    `${type} ${await fingerprint(path)}${type === 'warm' ? modules : ''}`,
  ]);
  return new Map(await Promise.all(entries));
}

/** All modules that are no hooks themselves; packages are too many to look at. */
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
    // With the time of the last change of its rights: whoever writes it may not have been done when it was loaded before.
    const { mtimeMs, ctimeMs, mode, size, ino } = await stat(path);
    return `${mtimeMs} ${ctimeMs} ${mode} ${size} ${ino}`;
  } catch {
    return 'unreadable';
  }
}
