import { UsageError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import { isDividedHook } from '../hook/shard-rules.ts';
import { aborted } from '../lib/aborted.ts';
import type { Logger } from '../log.ts';
import { boot, enableInOrder, type BootOptions } from '../units/boot.ts';
import type { HookUnit } from '../units/hook-unit.ts';
import { hookTurns } from './hook-turns.ts';
import type { Leadership } from './operator-parts.ts';
import type { Shards } from './shards/shards.ts';

export interface FollowHooksOptions extends BootOptions {
  /** Loads the hooks that are new or changed; resolves to their units. */
  readonly refresh: () => Promise<readonly HookUnit[]>;
  /** Yields when something in the hooks folder may have changed; absent: hooks that load are loaded once. */
  readonly changes?: ((signal: AbortSignal) => AsyncIterable<void>) | undefined;
  /** Whether a hook may load at the next refresh that did not load in time. */
  readonly isLate: () => boolean;
  /** Called once, after the first load. */
  readonly onLoaded: () => void;
  /** Resolves when hooks may be started, once this replica leads. */
  readonly ready: (hooks: readonly Hook[], signal: AbortSignal) => Promise<void>;
  /** Absent: this operator is the only one. */
  readonly leadership?: Pick<Leadership, 'leading'> | undefined;
  /** Absent: objects are not divided among replicas. */
  readonly shards?: Pick<Shards, 'begun' | 'status'> | undefined;
  /** A boot failed, which is a bug. */
  readonly onCrash: (error: unknown) => void;
  readonly log: Logger;
}

/** Loads the hooks and boots them when this replica leads, then does the same with those that change or were late. */
export async function followHooks(options: FollowHooksOptions, signal: AbortSignal): Promise<void> {
  // Watched from before the hooks are loaded, so that no change in between is missed.
  const changes = options.changes?.(signal);
  const boots: Promise<void>[] = [];
  const start = (units: readonly HookUnit[]): void => {
    boots.push(bootWhenLeading(units, options, signal).catch(options.onCrash));
    boots.push(enableDivided(units, options, signal).catch(options.onCrash));
  };
  start(await options.refresh());
  options.onLoaded();
  for await (const _ of hookTurns({ changes, isLate: options.isLate }, signal)) start(await refreshIfThere(options));
  await Promise.all(boots);
}

async function bootWhenLeading(
  units: readonly HookUnit[],
  options: FollowHooksOptions,
  signal: AbortSignal,
): Promise<void> {
  const { leadership, ready } = options;
  if (leadership !== undefined) await Promise.race([leadership.leading, aborted(signal)]);
  if (signal.aborted) return;
  const hooks = units.map(({ hook }) => hook);
  await ready(hooks, signal);
  await boot(units, options, signal);
}

/**
 * On a replica that has slices and does not lead, the hooks whose objects are divided have their turn without the startup
 * phase: what runs at the start is not divided, and runs on the leader.
 */
async function enableDivided(
  units: readonly HookUnit[],
  { shards, ready }: FollowHooksOptions,
  signal: AbortSignal,
): Promise<void> {
  if (shards === undefined) return;
  await Promise.race([shards.begun, aborted(signal)]);
  if (signal.aborted || shards.status.type === 'leading') return;
  const divided = units.filter(({ hook }) => isDividedHook(hook));
  await ready(
    divided.map(({ hook }) => hook),
    signal,
  );
  if (!signal.aborted) await enableInOrder(divided, signal);
}

/** A folder that cannot be read for a moment, such as while it is replaced, must not end the operator. */
async function refreshIfThere({ refresh, log }: FollowHooksOptions): Promise<readonly HookUnit[]> {
  try {
    return await refresh();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    log.error({ err: error }, 'the hooks cannot be loaded again, those that are loaded keep running');
    return [];
  }
}
