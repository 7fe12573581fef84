import { HookConfigError } from '../../errors.ts';
import type { Hook } from '../../hook/binding.ts';
import type { LoadedHooks } from '../../hook/load.ts';
import { isDividedHook, shardProblems } from '../../hook/shard-rules.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { Shards } from './shards.ts';

/** A hook that cannot run with `--shards` is broken. */
export function withoutUndivided({ hooks, broken }: LoadedHooks): LoadedHooks {
  const errors = hooks.flatMap((hook) => {
    const issues = shardProblems(hook);
    const reason = `its objects cannot be divided among replicas (--shards), ${issues.length} problem(s)`;
    return issues.length === 0 ? [] : [new HookConfigError(hook.name, issues, { reason })];
  });
  const names = new Set(errors.map(({ hook }) => hook));
  return { hooks: hooks.filter(({ name }) => !names.has(name)), broken: [...broken, ...errors] };
}

/** When the hooks of this replica may work: those whose objects are divided with its first slices, others when it leads. */
export function mayHookWork({ begun, leading }: Pick<Shards, 'begun' | 'leading'>): (hook: Hook) => Promise<void> {
  return async (hook) => (isDividedHook(hook) ? begun : leading);
}

/** The units that work on this replica now. */
export function workingUnits(
  units: readonly HookUnit[],
  { hasBegun, status }: Pick<Shards, 'hasBegun' | 'status'>,
): readonly HookUnit[] {
  if (status.type === 'leading') return units;
  return hasBegun ? units.filter(({ hook }) => isDividedHook(hook)) : [];
}
