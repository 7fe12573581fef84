import { HookletError } from '../../errors.ts';
import type { Hook } from '../../hook/binding.ts';
import { findTargets } from '../check/targets.ts';
import { loadLocalHooks } from '../run/load-local-hooks.ts';

/** Some hooks are broken, so that what they need is not known. */
class BrokenHooksError extends HookletError {
  override readonly name = 'BrokenHooksError';
  readonly code = 'ERR_HOOK_CONFIG';
  readonly isRetryable = false;
}

export interface LoadAllOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (text: string) => void;
}

/** Loads the hooks of folders and files; rejects with all problems when one is broken. */
export async function loadAllHooks(paths: readonly string[], { env, warn }: LoadAllOptions): Promise<readonly Hook[]> {
  const hooks: Hook[] = [];
  const problems: string[] = [];
  for (const { root, files, warnings } of await findTargets(paths)) {
    for (const { path, message } of warnings) warn(`${path}: ${message}`);
    if (files.length === 0) continue;
    const loaded = await loadLocalHooks(root, files, { write: (line) => void process.stderr.write(line), env });
    hooks.push(...loaded.hooks);
    problems.push(...loaded.broken.map(({ message }) => message));
  }
  if (problems.length > 0) throw new BrokenHooksError(problems.join('\n'));
  return hooks;
}
