import { discoverHooks, type Discovery, type HookFile } from '../hook/discover.ts';
import { loadHooks, type LoadedHooks } from '../hook/load.ts';
import type { Runner } from '../runner/runner.ts';
import { checkFilter } from './filter-check.ts';

/** Hooks that are being found, and asked for their configs. */
export interface HookLoading {
  /** Rejects with a `UsageError` when the folder cannot be read. */
  readonly discovery: Promise<Discovery>;
  readonly hooks: Promise<LoadedHooks>;
}

/** Asks files for their configs; what still runs ends with `signal`. */
export type LoadHooks = (files: readonly HookFile[]) => Promise<LoadedHooks>;

export function hookLoader(runner: Pick<Runner, 'readConfig'>, signal: AbortSignal): LoadHooks {
  return async (files) =>
    loadHooks(files, { readConfig: async (file) => runner.readConfig(file, signal), checkFilter });
}

/** Begins at once, so that hooks print their configs while the rest of the operator is opened. */
export function beginLoading(hooksDir: string, load: LoadHooks): HookLoading {
  const discovery = discoverHooks(hooksDir);
  const hooks = discovery.then(async ({ files }) => load(files));
  // A failure is for who waits for it; where the rest cannot be opened, that is nobody.
  for (const promise of [discovery, hooks]) promise.catch(() => {});
  return { discovery, hooks };
}
