import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import {
  discoverFile,
  discoverHooks,
  type Discovery,
  type DiscoveryWarning,
  type HookFile,
} from '../../hook/discover.ts';
import { EXECUTORS_FILE, unmatchedPatterns } from '../../hook/executors-file.ts';
import { shown } from '../../lib/shown.ts';

/** The hooks of one folder to be checked. */
export interface CheckTarget {
  /** The hooks folder for their `--config` runs. */
  readonly root: string;
  readonly files: readonly HookFile[];
  readonly warnings: readonly DiscoveryWarning[];
}

/**
 * Finds the hooks of the given folders and files, each once. Throws one `UsageError` that names all paths that do not
 * exist.
 */
export async function findTargets(paths: readonly string[]): Promise<readonly CheckTarget[]> {
  const targets: CheckTarget[] = [];
  const problems: string[] = [];
  const known = new Set<string>();
  const isNew = ({ path }: { readonly path: string }): boolean => !known.has(path) && known.add(path) === known;
  for (const path of paths) {
    try {
      const { root, files, warnings } = await findTarget(path);
      targets.push({ root, files: files.filter(isNew), warnings: warnings.filter(isNew) });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return joined(targets);
}

async function findTarget(path: string): Promise<CheckTarget> {
  // An empty path usually comes from an unset variable, and would mean the current folder.
  if (path === '') throw new UsageError('check: got an empty path, expected a hook or a folder with hooks');
  const stats = statSync(path, { throwIfNoEntry: false });
  // `discoverHooks` rejects for a path that does not exist, with the same message as in other commands.
  if (stats === undefined || stats.isDirectory()) return folderTarget(resolve(path), await discoverHooks(path));
  const found = discoverFile(path);
  const root = dirname(resolve(path));
  return 'message' in found ? { root, files: [], warnings: [found] } : { root, files: [found], warnings: [] };
}

/** A hook that a pattern misses runs in the operator, where it is not meant to. */
function folderTarget(root: string, { files, warnings }: Discovery): CheckTarget {
  const names = files.map(({ name }) => name);
  const patterns = unmatchedPatterns(root, names).map((pattern) => shown(pattern));
  if (patterns.length === 0) return { root, files, warnings };
  const message = `no hook here has a name like ${patterns.join(', ')}`;
  return { root, files, warnings: [...warnings, { path: join(root, EXECUTORS_FILE), message, isByRule: true }] };
}

/** Groups files that were given one by one by their folder. */
function joined(targets: readonly CheckTarget[]): readonly CheckTarget[] {
  const byRoot = new Map<string, CheckTarget>();
  for (const { root, files, warnings } of targets) {
    const before = byRoot.get(root);
    byRoot.set(root, {
      root,
      files: [...(before?.files ?? []), ...files],
      warnings: [...(before?.warnings ?? []), ...warnings],
    });
  }
  return [...byRoot.values()];
}
