import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { discoverFile, discoverHooks, type DiscoveryWarning, type HookFile } from '../hook/discover.ts';

/** The hooks of one folder that are to be checked. */
export interface CheckTarget {
  /** Where they are asked for their configs. */
  readonly root: string;
  readonly files: readonly HookFile[];
  readonly warnings: readonly DiscoveryWarning[];
}

/** Finds the hooks of folders, and files given one by one; each once. Throws `UsageError` for all that is not there. */
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
  const stats = statSync(path, { throwIfNoEntry: false });
  // What is not there is refused there, in the same words as for the other commands.
  if (stats === undefined || stats.isDirectory()) return { root: resolve(path), ...(await discoverHooks(path)) };
  const found = discoverFile(path);
  const root = dirname(resolve(path));
  return 'message' in found ? { root, files: [], warnings: [found] } : { root, files: [found], warnings: [] };
}

/** Files of one folder that were given one by one are asked together. */
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
