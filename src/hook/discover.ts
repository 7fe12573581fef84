import { lstatSync, readFileSync, statSync, type Dirent, type Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Hook } from './binding.ts';

/** A file that is to be asked for its config. */
export type HookFile = Pick<Hook, 'name' | 'path' | 'type'>;

export interface DiscoveryWarning {
  readonly path: string;
  readonly message: string;
}

export interface Discovery {
  /** In the order of their paths, byte by byte. */
  readonly files: readonly HookFile[];
  readonly warnings: readonly DiscoveryWarning[];
}

const NO_HOOKS = 'no hooks here, expected executable files, or modules that export a definition';
const NOT_EXECUTABLE = 'no executable permissions, chmod +x is required to run this hook';
const NO_DEFAULT_EXPORT = 'no hook without a default export, expected "export default defineHook({…})"';
const LIB_DIRECTORY = 'lib';
const IGNORED_FILES = /\.(?:yaml|json|md|txt)$/;
const MODULE_FILES = /\.m?[jt]s$/;

/**
 * Finds the hooks under `directory`: executables, and modules that export a definition. Hidden files and directories,
 * `lib` and `node_modules` directories are left out at any depth, whatever the folder itself is called.
 */
export async function discoverHooks(directory: string): Promise<Discovery> {
  const root = resolve(directory);
  const warnings: DiscoveryWarning[] = [];
  const paths = await listRoot(root, warnings);
  const files: HookFile[] = [];
  for (const path of paths.toSorted(compareBytes)) {
    const found = classify(path);
    if (found.type === 'ignored') warnings.push({ path, message: found.reason });
    else files.push({ name: relative(root, path), path, type: found.type });
  }
  warnings.push(...(await findExecutablesInLib(join(root, LIB_DIRECTORY))));
  // Where other warnings say why, this one would say nothing more.
  if (files.length === 0 && warnings.length === 0) warnings.push({ path: root, message: NO_HOOKS });
  return { files, warnings };
}

async function listRoot(root: string, warnings: DiscoveryWarning[]): Promise<readonly string[]> {
  try {
    return await listFiles(root, warnings);
  } catch (error) {
    const reason = ROOT_PROBLEMS[codeOf(error)] ?? 'cannot be read';
    throw new UsageError(`hooks directory ${root} ${reason}; give a readable directory`, { cause: error });
  }
}

const ROOT_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a directory',
  EACCES: 'cannot be read: permission denied',
};

async function listFiles(directory: string, warnings: DiscoveryWarning[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (isHookDirectory(entry)) found.push(...(await listSubdirectory(path, warnings)));
    else if (isHookFile(entry)) found.push(path);
  }
  return found;
}

async function listSubdirectory(path: string, warnings: DiscoveryWarning[]): Promise<readonly string[]> {
  try {
    return await listFiles(path, warnings);
  } catch (error) {
    warnings.push({ path, message: `directory cannot be read (${codeOf(error)}), hooks in it are ignored` });
    return [];
  }
}

function isHookDirectory(entry: Dirent): boolean {
  const { name } = entry;
  return entry.isDirectory() && !name.startsWith('.') && name !== LIB_DIRECTORY && name !== 'node_modules';
}

function isHookFile(entry: Dirent): boolean {
  const { name } = entry;
  return (entry.isFile() || entry.isSymbolicLink()) && !name.startsWith('.') && !IGNORED_FILES.test(name);
}

type Classified = { readonly type: Hook['type'] } | { readonly type: 'ignored'; readonly reason: string };

/** A link counts as executable whatever it points to, so that hooks mounted from a ConfigMap are found. */
function classify(path: string): Classified {
  const link = lstatSync(path);
  const target = statTarget(path);
  // Asked for its config, a link that leads nowhere becomes a broken hook with a clear error.
  if (target === undefined) return { type: 'process' };
  if (!target.isFile()) return { type: 'ignored', reason: 'links to what is not a file, it is not followed' };
  const text = MODULE_FILES.test(path) ? readText(path) : '';
  if (isWarmModule(text, target)) return { type: 'warm' };
  if (link.isSymbolicLink() || isExecutable(target)) return { type: 'process' };
  return { type: 'ignored', reason: text.includes('defineHook') ? NO_DEFAULT_EXPORT : NOT_EXECUTABLE };
}

/** A module with a definition; an executable one only if the kernel could not start it for want of a shebang. */
function isWarmModule(text: string, target: Stats): boolean {
  if (isExecutable(target) && text.startsWith('#!')) return false;
  return text.includes('export default') && text.includes('defineHook');
}

function statTarget(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function findExecutablesInLib(lib: string): Promise<readonly DiscoveryWarning[]> {
  try {
    const found: DiscoveryWarning[] = [];
    for (const entry of await readdir(lib, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !isExecutable(lstatSync(path))) continue;
      found.push({ path, message: "file has executable permissions and is located in the ignored 'lib' directory" });
    }
    return found.toSorted((a, b) => compareBytes(a.path, b.path));
  } catch {
    // No such directory, or one that cannot be read and is not needed.
    return [];
  }
}

function isExecutable({ mode }: Stats): boolean {
  return (mode & 0o111) !== 0;
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
