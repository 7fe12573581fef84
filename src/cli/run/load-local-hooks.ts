import type { HookFile } from '../../hook/discover.ts';
import { loadHooks, type LoadedHooks } from '../../hook/load.ts';
import { withoutNameConflicts } from '../../hook/webhook-names.ts';
import { checkFilter } from '../../units/filter-check.ts';
import { NEVER, openLocalRunner } from './local-runner.ts';

export interface LocalLoading {
  /** Takes the log of the runner; default: standard output. */
  readonly write?: (line: string) => void;
  /** The environment of the hooks; default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** Asks the hooks of a folder for their configs, without an operator; those that clash with each other are broken. */
export async function loadLocalHooks(
  folder: string,
  files: readonly HookFile[],
  { write, env, signal = NEVER }: LocalLoading = {},
): Promise<LoadedHooks> {
  await using ends = new AsyncDisposableStack();
  const { runner } = openLocalRunner(folder, ends, write, env);
  const loaded = await loadHooks(files, { readConfig: async (file) => runner.readConfig(file, signal), checkFilter });
  const { hooks, broken } = withoutNameConflicts(loaded.hooks);
  return { hooks, broken: [...loaded.broken, ...broken] };
}
