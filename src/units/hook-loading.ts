import { discoverHooks, type Discovery, type HookFile } from '../hook/discover.ts';
import { loadHooks, type LoadedHooks } from '../hook/load.ts';
import type { Runner } from '../runner/runner.ts';
import { checkFilter } from './filter-check.ts';

/** A discovery of hooks under way, and the reading of their configs. */
export interface HookLoading {
  /** Rejects with a `UsageError` when the folder cannot be read. */
  readonly discovery: Promise<Discovery>;
  readonly hooks: Promise<LoadedHooks>;
}

/** Reads the config of each file. */
export type LoadHooks = (files: readonly HookFile[]) => Promise<LoadedHooks>;

/** Reads configs with `runner`; config runs that have not ended are ended when `signal` aborts. */
export function hookLoader(runner: Pick<Runner, 'readConfig'>, signal: AbortSignal): LoadHooks {
  return async (files) =>
    loadHooks(files, { readConfig: async (file) => runner.readConfig(file, signal), checkFilter });
}

/** The hooks of a folder; `isWanted` says by its name whether one is loaded, default: each is. */
export interface WantedHooks {
  readonly hooksDir: string;
  readonly isWanted?: (hook: string) => boolean;
}

/** Starts discovery immediately, so that configs are read while the rest of the operator is opened. */
export function beginLoading({ hooksDir, isWanted = () => true }: WantedHooks, load: LoadHooks): HookLoading {
  const discovery = discoverHooks(hooksDir).then(({ files, warnings }) => {
    return { files: files.filter(({ name }) => isWanted(name)), warnings };
  });
  const hooks = discovery.then(async ({ files }) => load(files));
  // The operator awaits both. When another part fails to open, nothing does: a rejection must not be unhandled then.
  for (const promise of [discovery, hooks]) promise.catch(() => {});
  return { discovery, hooks };
}
