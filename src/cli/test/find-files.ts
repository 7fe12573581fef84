import { statSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { walkFiles } from '../../hook/walk-files.ts';
import { shown } from '../../lib/shown.ts';
import { messageOf } from '../../lib/message-of.ts';

const SCENARIO = /\.scenario\.(?:ya?ml|json)$/;
const IN_FOLDER = /\.(?:ya?ml|json)$/;
const MAX_FILES = 5000;

/**
 * The scenario files of a command line, as the author would name them, sorted: the named ones, and those below folders,
 * default below `cwd`. Throws `UsageError` for a path that is not there, and when there are none.
 */
export async function findScenarioFiles(paths: readonly string[], cwd: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths.length === 0 ? ['.'] : paths) {
    const whole = resolve(cwd, path);
    if (!isFolder(whole, path)) found.add(shownPath(whole, cwd));
    else for (const one of await filesBelow(whole)) found.add(shownPath(one, cwd));
  }
  const where = paths.length === 0 ? cwd : paths.join(', ');
  if (found.size === 0) {
    throw new UsageError(
      `no scenario files below ${where}: expected names that end with .scenario.yaml, or .yaml in a folder scenarios`,
    );
  }
  if (found.size > MAX_FILES)
    throw new UsageError(`${found.size} scenario files below ${where}: name a folder with less`);
  return [...found].toSorted();
}

function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below.startsWith('..') ? path : below;
}

function isFolder(path: string, given: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`${shown(given)} cannot be read: ${reason}`);
  }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const isWanted = (name: string, isDirectory: boolean): boolean =>
    !name.startsWith('.') && (isDirectory ? name !== 'node_modules' : IN_FOLDER.test(name));
  for await (const found of walkFiles(folder, { isWanted })) {
    if (found.type === 'file' && isScenario(found.path)) files.push(found.path);
  }
  return files;
}

function isScenario(path: string): boolean {
  return SCENARIO.test(path) || basename(dirname(path)) === 'scenarios';
}
