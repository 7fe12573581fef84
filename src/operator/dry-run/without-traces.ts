import type { OperatorOptions } from '../run-operator.ts';

/**
 * The options of an operator that must leave nothing behind, where they ask for a dry run: it holds no Lease, registers no
 * webhooks, and keeps its state in memory. Its hooks find `HOOKLET_DRY_RUN` in their environment.
 */
export function withoutTraces(options: OperatorOptions): OperatorOptions {
  if (options.dryRun === undefined) return options;
  // A spawner process that was started before has the environment of this process.
  const { spawner: _spawner, ...rest } = options;
  return {
    ...rest,
    leaderElection: undefined,
    shards: undefined,
    webhooks: undefined,
    scheduleState: { type: 'memory', isForced: true },
    deadLetters: { type: 'none' },
    runHistory: undefined,
    env: { ...options.env, HOOKLET_DRY_RUN: '1' },
  };
}
