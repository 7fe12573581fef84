import { readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../../errors.ts';
import { inside, type Place, report } from '../../hook/config-reader.ts';
import { discoverHooks } from '../../hook/discover.ts';
import { isExecutable, isFile, isFolder } from '../../lib/file-kind.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';

/** The hooks of a story. */
export interface StoryHooks {
  /** The hooks folder, absolute. */
  readonly dir: string;
  /** The names of those that run; absent: all. */
  readonly chosen?: readonly string[];
  /** The names of all that the story has. */
  readonly names: readonly string[];
}

export interface HookSearch {
  /** The folder of the file. */
  readonly folder: string;
  readonly place: Place;
  /** Where hooks are if the story does not say it and there is no folder `hooks` near the file. */
  readonly hooksDir: string;
}

/**
 * Finds the hooks that `hooks` of a story names, or else those of the folder `hooks` beside the file, of the one beside
 * its folder, or of `hooksDir`. Reports what is wrong with them and returns `undefined`.
 */
export async function findHooks(value: unknown, search: HookSearch): Promise<StoryHooks | undefined> {
  const given = isObject(value) ? value['hooks'] : undefined;
  if (given === undefined) return hooksIn(defaultDir(search), search, undefined);
  // What is no path is reported where the field is read.
  const paths = (Array.isArray(given) ? given : [given]).filter((path) => typeof path === 'string' && path !== '');
  const whole = paths.map((path) => resolve(search.folder, String(path)));
  const [first] = whole;
  if (first === undefined) return undefined;
  if (whole.length === 1 && isFolder(first)) return hooksIn(first, search, undefined);
  const missing = whole.filter((path) => !isFile(path));
  for (const path of missing) {
    report(inside(search.place, 'hooks'), `got ${shown(path)}, expected a folder, or files of hooks`);
  }
  return missing.length > 0 ? undefined : hooksIn(commonFolder(whole), search, whole);
}

function defaultDir({ folder, hooksDir }: HookSearch): string {
  const near = [join(folder, 'hooks'), join(dirname(folder), 'hooks')];
  return near.find(isFolder) ?? hooksDir;
}

async function hooksIn(
  dir: string,
  { place }: HookSearch,
  paths: readonly string[] | undefined,
): Promise<StoryHooks | undefined> {
  const at = inside(place, 'hooks');
  if (!isFolder(dir)) return report(at, `got no folder of hooks at ${dir}, expected hooks: with its path`);
  try {
    const { files } = await discoverHooks(dir);
    const all = files.map(({ name }) => name);
    if (all.length === 0) return report(at, `got ${shown(dir)}, which has no hooks`);
    if (paths === undefined) return { dir, names: all };
    const chosen = paths.map((path) => relative(dir, path).split(sep).join('/'));
    const others = chosen.filter((name) => !all.includes(name));
    for (const name of others) report(at, `got ${shown(name)}, which is no hook: is it executable?`);
    return others.length > 0 ? undefined : { dir, chosen, names: chosen };
  } catch (error) {
    if (error instanceof UsageError) return report(at, error.message);
    throw error;
  }
}

function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => dirname(path).split(sep));
  const differs = first.findIndex((part, index) => others.some((other) => other[index] !== part));
  return (differs < 0 ? first : first.slice(0, differs)).join(sep) || sep;
}

/** The names of the programs in a folder of stand-ins; reports what is wrong with it. */
export function findStandIns(dir: string, place: Place): readonly string[] | undefined {
  if (!isFolder(dir)) return report(place, `got no folder at ${dir}, expected one with stand-ins`);
  const names = readdirSync(dir).filter((name) => isFile(join(dir, name)) && !name.startsWith('.'));
  const programs = names.filter((name) => isExecutable(join(dir, name)));
  const others = names.filter((name) => !programs.includes(name) && !/\.(?:md|txt|json|ya?ml)$/.test(name));
  for (const name of others) report(place, `${shown(name)} is not executable, chmod +x is required for a stand-in`);
  if (names.length === 0) return report(place, `got ${shown(dir)}, which has no stand-ins`);
  return programs;
}
