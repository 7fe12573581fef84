import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { Hook } from './binding.ts';
import { misplacedExecutors, readExecutorsFile, type ExecutorOf, type FileExecutor } from './executors-file.ts';
import { walkFiles, type WalkProblem } from './walk-files.ts';

/**
 * Discovery: which files of the hooks folder are hooks. The operator calls it at the start and at every reload,
 * `hooklet check` for a folder, and `check` and `run` for a single file. A file is either a process hook (an
 * executable, or a symbolic link), a warm hook (a module with `export default` and `defineHook`, or `reconcile` of hooklet,
 * and without a shebang that would make it a program), ignored with a warning, or gone, which means that it was removed
 * while the folder was read.
 *
 * What must hold: the same rules as shell-operator for what is skipped (hidden names, `lib` folders, data files), so
 * its images work unchanged. A file that looks like a hook but is none is reported, never skipped silently. A file may
 * change between listing and reading it; that must not make the whole discovery fail.
 */

/** A file whose config is to be read. */
export interface HookFile extends Pick<Hook, 'name' | 'path' | 'type'> {
  /** What `hooklet-executors.yaml` says of it; absent: nothing. */
  readonly executor?: FileExecutor;
}

export interface DiscoveryWarning {
  readonly path: string;
  readonly message: string;
  /** The file is excluded by a documented rule, such as that of `lib`, and most likely not meant to be a hook. */
  readonly isByRule?: true;
}

export interface Discovery {
  /** Sorted by the bytes of their paths. */
  readonly files: readonly HookFile[];
  readonly warnings: readonly DiscoveryWarning[];
}

const NO_HOOKS = 'no hooks here, expected executable files, or modules that export a definition';
const NOT_EXECUTABLE = 'no executable permissions, chmod +x is required to run this hook';
const NO_DEFAULT_EXPORT =
  'a hook needs a default export, expected "export default defineHook({…})" or "export default reconcile({…}, …)"';
const EXCLUDED = 'not a hook: its name begins with a dot, or ends with .yaml, .json, .md or .txt';
const NO_FILE = 'not a hook: it is neither a file nor a directory';
const EXECUTABLE_IN_LIB = "file has executable permissions and is located in the ignored 'lib' directory";
const LINK_ELSEWHERE = 'not a hook: the link does not lead to a file';
const LIB_DIRECTORY = 'lib';
const IGNORED_FILES = /\.(?:yaml|json|md|txt)$/;
const MODULE_FILES = /\.m?[jt]s$/;

/**
 * Finds the hooks below `directory`: executables, and modules that export a definition. Hidden files and directories,
 * and directories called `lib` or `node_modules`, are skipped at any depth; the name of `directory` itself does not
 * matter. Throws `UsageError` when `directory` cannot be read.
 */
export async function discoverHooks(directory: string): Promise<Discovery> {
  const root = resolve(directory);
  const { files: paths, problems } = await walkRoot(root);
  const warnings: DiscoveryWarning[] = [...problems];
  const files: HookFile[] = [];
  const executorOf = readExecutorsFile(root);
  for (const path of paths.toSorted(compareBytes)) {
    const found = classify(path);
    if (found.type === 'ignored') warnings.push({ path, message: found.reason });
    else if (found.type !== 'gone') files.push(fileOf(relative(root, path), { path, type: found.type }, executorOf));
  }
  // Other warnings already explain why there are no hooks.
  if (files.length === 0 && warnings.length === 0) warnings.push({ path: root, message: NO_HOOKS });
  warnings.push(...(await findExecutablesInLib(join(root, LIB_DIRECTORY))));
  return { files, warnings };
}

function fileOf(name: string, file: Pick<HookFile, 'path' | 'type'>, executorOf: ExecutorOf): HookFile {
  const executor = executorOf(name);
  return { name, ...file, ...(executor !== undefined && { executor }) };
}

/**
 * Applies the rules of discovery to one file in any folder: returns the hook, named by its file name, or why it is
 * none. A `hooklet-executors.yaml` beside it counts, as its folder is taken for that of the hooks.
 */
export function discoverFile(file: string): HookFile | DiscoveryWarning {
  const path = resolve(file);
  const name = basename(path);
  const isExcluded = !isWanted(name, false) || isDataName(name);
  const folder = dirname(path);
  const misplaced = misplacedExecutors(folder, path);
  if (misplaced !== undefined) return { path, message: misplaced };
  const found: Classified = isExcluded ? { type: 'ignored', reason: EXCLUDED } : classify(path);
  switch (found.type) {
    case 'ignored':
      return { path, message: found.reason };
    case 'gone':
      return { path, message: 'no such file' };
    case 'process':
    case 'warm':
      return fileOf(name, { path, type: found.type }, readExecutorsFile(folder));
    default:
      return unreachable(found);
  }
}

async function walkRoot(root: string): Promise<{ readonly files: string[]; readonly problems: WalkProblem[] }> {
  const files: string[] = [];
  const problems: WalkProblem[] = [];
  const sortOut = (path: string): void => {
    const message = misplacedExecutors(root, path);
    if (message !== undefined) problems.push({ path, message });
    else if (!isDataName(path)) files.push(path);
  };
  try {
    for await (const found of walkFiles(root, { isWanted })) {
      if (found.type === 'problem') problems.push(found);
      else if (found.type === 'other') problems.push({ path: found.path, message: NO_FILE });
      else sortOut(found.path);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = ROOT_PROBLEMS[codeOf(error)] ?? 'cannot be read';
    const advice = codeOf(error) === 'ENOENT' ? ', or make a project with hooklet init' : '';
    throw new UsageError(`hooks directory ${root} ${reason}; give a readable directory${advice}`, { cause: error });
  }
  return { files, problems };
}

const ROOT_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a directory',
  EACCES: 'cannot be read: permission denied',
};

function isWanted(name: string, isDirectory: boolean): boolean {
  if (name.startsWith('.')) return false;
  return !isDirectory || (name !== LIB_DIRECTORY && name !== 'node_modules');
}

type Classified =
  | { readonly type: Hook['type'] }
  | { readonly type: 'ignored'; readonly reason: string }
  /** The file was removed after it was found. */
  | { readonly type: 'gone' };

/** Whether a file is data by its name, whatever its mode is. */
export function isDataName(name: string): boolean {
  return IGNORED_FILES.test(name);
}

/** Whether a file is a module by its name. */
export function isModuleName(name: string): boolean {
  return MODULE_FILES.test(name);
}

/** A link counts as executable whatever the mode of its target, so that hooks mounted from a ConfigMap are found. */
function classify(path: string): Classified {
  const link = statOf(path, lstatSync);
  if (link === undefined) return { type: 'gone' };
  const target = statOf(path, statSync);
  // A dangling link counts as a hook: running its `--config` fails with a clear error.
  if (target === undefined) return { type: 'process' };
  return classifyFile(path, link, target);
}

function classifyFile(path: string, link: Stats, target: Stats): Classified {
  if (!target.isFile()) return { type: 'ignored', reason: reasonOfNoFile(link) };
  const isModule = isModuleName(path);
  if (isModule && target.size > MAX_MODULE_BYTES) return { type: 'ignored', reason: TOO_LARGE };
  const text = isModule ? readText(path) : '';
  if (isWarmModule(text, target)) return { type: 'warm' };
  if (link.isSymbolicLink() || isExecutable(target)) return { type: 'process' };
  return { type: 'ignored', reason: DEFINITION.test(text) ? NO_DEFAULT_EXPORT : NOT_EXECUTABLE };
}

function reasonOfNoFile(link: Stats): string {
  if (link.isSymbolicLink()) return LINK_ELSEWHERE;
  return link.isDirectory() ? 'a directory, expected a file' : NO_FILE;
}

/** Far above the size of a hook bundled with all its packages. */
const MAX_MODULE_BYTES = 16 * 1024 * 1024;
const TOO_LARGE = 'not read: a module of more than 16 MiB';

/** Whether the module has a definition; an executable one with a shebang is a process hook instead. */
function isWarmModule(text: string, target: Stats): boolean {
  if (isExecutable(target) && text.startsWith('#!')) return false;
  return text.includes('export default') && DEFINITION.test(text);
}

/** What makes a definition: `defineHook`, or `reconcile` where it is imported from hooklet. */
const DEFINITION = /defineHook|\breconcile\b[^;'"]{0,1000}\bfrom\s*['"]hooklet['"]/;

function statOf(path: string, stat: (path: string) => Stats): Stats | undefined {
  try {
    return stat(path);
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  try {
    // The path may have become a pipe by now, and opening a pipe would block until there is a writer.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      return stats.isFile() && stats.size <= MAX_MODULE_BYTES ? readFileSync(fd, 'utf8') : '';
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

async function findExecutablesInLib(lib: string): Promise<readonly DiscoveryWarning[]> {
  const found: DiscoveryWarning[] = [];
  try {
    for await (const { type, path } of walkFiles(lib, { isWanted: () => true })) {
      const stats = type === 'file' ? statOf(path, lstatSync) : undefined;
      if (stats?.isFile() !== true || !isExecutable(stats)) continue;
      found.push({ path, message: EXECUTABLE_IN_LIB, isByRule: true });
    }
  } catch {
    // The directory does not exist, or cannot be read, and nothing in it is needed.
  }
  return found.toSorted((a, b) => compareBytes(a.path, b.path));
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
